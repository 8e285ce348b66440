! One multiply of TYPE(KIND) named NAME: op(A) op(B) with A transposed (conjugated where it is complex), all entries
! small integers, checked entry by entry.
  subroutine NAME()
    TYPE(KIND), allocatable, target :: a(:, :), b(:, :), c(:, :)
    TYPE(KIND) :: alpha, beta, expected
    type(allport_distribution) :: of_a, of_b, of_c
    integer :: i, j, l
    call cyclic(k, m, of_a)
    call cyclic(k, n, of_b)
    call cyclic(m, n, of_c)
    allocate (a(held(of_a, 1), held(of_a, 2)), b(held(of_b, 1), held(of_b, 2)), c(held(of_c, 1), held(of_c, 2)))
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i, j) = VALUE(whole(i), j)
      end do
    end do
    do j = 1, size(b, 2)
      do i = 1, size(b, 1)
        b(i, j) = VALUE(j, whole(i))
      end do
    end do
    c = -7
    alpha = 2
    beta = 0
    call expect(allport_gemm(comm, 'C', 'N', m, n, k, alpha, a, of_a, b, of_b, beta, c, of_c), 'gemm')
    do j = 1, size(c, 2)
      do i = 1, size(c, 1)
        expected = 0
        do l = 1, k
          expected = expected + alpha * CONJUGATE(VALUE(l, whole(i))) * VALUE(j, l)
        end do
        call assert(abs(c(i, j) - expected) <= 0, 'an entry of gemm''s C')
      end do
    end do
    call assert(index(allport_gemm_report(comm), '"chosen"') > 0, 'the report of gemm')
    call expect(allport_distribution_free(of_a), 'free')
    call expect(allport_distribution_free(of_b), 'free')
    call expect(allport_distribution_free(of_c), 'free')
  end subroutine NAME
