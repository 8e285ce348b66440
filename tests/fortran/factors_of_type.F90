! Cholesky, QR and least squares of TYPE(KIND), named FACTORS: what is solved for is known.
  subroutine FACTORS()
    TYPE(KIND), allocatable, target :: a(:, :), b(:, :), x(:, :), q(:, :), w(:, :), tau(:)
    real(KIND) :: near
    type(allport_distribution) :: of_a, of_b, of_q, of_x
    integer(c_int64_t) :: info, pivots(m)
    integer :: i, j, c, l
    near = 1000 * m * epsilon(near)
    ! A is Hermitian, its diagonal large; B is A times known columns.
    call cyclic(m, m, of_a)
    call cyclic(m, n, of_b)
    allocate (a(held(of_a, 1), held(of_a, 2)), b(held(of_b, 1), held(of_b, 2)))
    do l = 1, 3
      do j = 1, m
        do i = 1, size(a, 1)
          a(i, j) = HERMITIAN(whole(i), j)
        end do
      end do
      do j = 1, n
        do i = 1, size(b, 1)
          b(i, j) = sum([(HERMITIAN(whole(i), c) * VALUE(c, j), c=1, m)])
        end do
      end do
      info = -1
      if (l == 1) then
        call expect(allport_potrf(comm, 'L', a, of_a, info), 'potrf')
        call expect(allport_potrs(comm, 'L', a, of_a, b, of_b, 'workers=1'), 'potrs')
      else if (l == 2) then
        call expect(allport_gesv(comm, a, of_a, pivots, b, of_b, info, options='panel=4'), 'gesv')
        call assert(all(pivots >= 1 .and. pivots <= m), 'pivots')
      else
        call expect(allport_posv(comm, 'U', a, of_a, b, of_b, info, options='nb=4'), 'posv')
      end if
      call assert(info == 0, 'info of a matrix that has none')
      do j = 1, n
        do i = 1, size(b, 1)
          call assert(abs(b(i, j) - VALUE(whole(i), j)) <= near, 'what is solved for')
        end do
      end do
    end do
    do i = 1, size(a, 1)
      do j = 1, m
        a(i, j) = HERMITIAN(whole(i), j)
        if (whole(i) == 5 .and. j == 5) a(i, j) = -1
      end do
    end do
    call expect(allport_potrf(comm, 'U', a, of_a, info), 'potrf')
    call assert(info == 5, 'info of a matrix that is not positive definite')
    deallocate (a, b)
    call expect(allport_distribution_free(of_a), 'free')
    call expect(allport_distribution_free(of_b), 'free')

    ! m x n of full rank: Q's columns times Q^H A are A again; and A's columns times known numbers are solved for.
    call cyclic(m, n, of_a)
    call cyclic(m, m, of_q)
    call cyclic(n, 2, of_x)
    call cyclic(m, 2, of_b)
    allocate (a(held(of_a, 1), n), w(held(of_a, 1), n), q(held(of_q, 1), m), x(held(of_x, 1), 2), b(held(of_b, 1), 2))
    allocate (tau(n))
    do i = 1, size(a, 1)
      do j = 1, n
        a(i, j) = SKEWED(whole(i), j)
      end do
      do j = 1, 2
        b(i, j) = sum([(SKEWED(whole(i), l) * VALUE(l, j), l=1, n)])
      end do
    end do
    w = a
    call expect(allport_geqrf(comm, a, of_a, tau), 'geqrf')
    call expect(allport_ungqr(comm, a, of_a, tau, q, of_q), 'the columns of Q')
    call expect(allport_unmqr(comm, 'L', 'C', a, of_a, tau, w, of_a), 'Q^H A')
    do i = 1, size(w, 1)
      do j = 1, n
        if (whole(i) > j) call assert(abs(w(i, j)) <= near, 'Q^H A below R')
        if (whole(i) <= j) call assert(abs(w(i, j) - a(i, j)) <= near, 'R is Q^H A')
      end do
    end do
    call expect(allport_unmqr(comm, 'L', 'C', a, of_a, tau, q, of_q), 'Q^H Q')
    do i = 1, size(q, 1)
      do j = 1, m
        call assert(abs(q(i, j) - merge(1, 0, whole(i) == j)) <= near, 'Q^H Q is I')
      end do
    end do
    do i = 1, size(a, 1)
      do j = 1, n
        a(i, j) = SKEWED(whole(i), j)
      end do
    end do
    info = -1
    call expect(allport_gels(comm, a, of_a, b, of_b, x, of_x, info), 'gels')
    call assert(info == 0, 'info of gels')
    do j = 1, 2
      do i = 1, size(x, 1)
        call assert(abs(x(i, j) - VALUE(whole(i), j)) <= near, 'the least squares solution')
      end do
    end do
    call expect(allport_distribution_free(of_a), 'free')
    call expect(allport_distribution_free(of_b), 'free')
    call expect(allport_distribution_free(of_q), 'free')
    call expect(allport_distribution_free(of_x), 'free')
  end subroutine FACTORS
