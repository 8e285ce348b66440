! A plain Fortran program as ScaLAPACK's users write them: it solves a system, multiplies back and prints the pivots and
! the rounded answer, which must be the same with and without anything preloaded.
program solve
  implicit none
  integer, parameter :: n = 75, nb = 8, nrhs = 2
  integer :: context, np, me, nprow, npcol, myrow, mycol, rows, cols, bcols, info, i, j, l
  integer :: desca(9), descb(9)
  integer, external :: numroc, indxl2g
  double precision, allocatable :: a(:, :), keep(:, :), b(:, :), right(:, :)
  integer, allocatable :: ipiv(:)
  integer :: pivots(n)
  double precision :: answer(n, nrhs), worst
  call blacs_pinfo(me, np)
  nprow = int(sqrt(dble(np)))
  do while (mod(np, nprow) /= 0)
    nprow = nprow - 1
  end do
  npcol = np / nprow
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'Row', nprow, npcol)
  call blacs_gridinfo(context, nprow, npcol, myrow, mycol)
  rows = numroc(n, nb, myrow, 0, nprow)
  cols = numroc(n, nb, mycol, 0, npcol)
  bcols = numroc(nrhs, nb, mycol, 0, npcol)
  call descinit(desca, n, n, nb, nb, 0, 0, context, max(1, rows), info)
  call descinit(descb, n, nrhs, nb, nb, 0, 0, context, max(1, rows), info)
  allocate (a(max(1, rows), max(1, cols)), keep(max(1, rows), max(1, cols)))
  allocate (b(max(1, rows), max(1, bcols)), right(max(1, rows), max(1, bcols)), ipiv(rows + nb))
  do j = 1, cols
    do i = 1, rows
      a(i, j) = element(indxl2g(i, nb, myrow, 0, nprow), indxl2g(j, nb, mycol, 0, npcol))
    end do
  end do
  do j = 1, bcols
    do i = 1, rows
      b(i, j) = cos(dble(indxl2g(i, nb, myrow, 0, nprow) * j))
    end do
  end do
  keep = a
  right = b
  call pdgesv(n, nrhs, a, 1, 1, desca, ipiv, b, 1, 1, descb, info)
  if (info /= 0) stop 1
  ! right = keep * b - right must be small
  call pdgemm('N', 'n', n, nrhs, n, 1d0, keep, 1, 1, desca, b, 1, 1, descb, -1d0, right, 1, 1, descb)
  worst = 0
  if (rows > 0 .and. bcols > 0) worst = maxval(abs(right(:rows, :bcols)))
  call dgamx2d(context, 'All', ' ', 1, 1, worst, 1, i, j, -1, -1, -1)
  ! The factors once more, for another side and transposed.
  right = 1
  call pdgetrs('T', n, nrhs, a, 1, 1, desca, ipiv, right, 1, 1, descb, info)
  if (info /= 0) stop 2
  pivots = 0
  answer = 0
  do i = 1, rows
    l = indxl2g(i, nb, myrow, 0, nprow)
    if (mycol == 0) pivots(l) = ipiv(i)
    do j = 1, bcols
      answer(l, indxl2g(j, nb, mycol, 0, npcol)) = b(i, j) + 10 * right(i, j)
    end do
  end do
  call igsum2d(context, 'All', ' ', n, 1, pivots, n, -1, -1)
  call dgsum2d(context, 'All', ' ', n, nrhs, answer, n, -1, -1)
  if (me == 0) then
    print '(a, l2)', 'residual is small:', worst < 1d-11
    print '(15i4)', pivots
    print '(8f12.7)', answer
  end if
  call blacs_gridexit(context)
  call blacs_exit(0)
contains
  double precision function element(i, j)
    integer, intent(in) :: i, j
    element = sin(dble(i * i + 3 * j)) + cos(dble(i * j))
    if (mod(7 * i + 2, n) + 1 == j) element = element + 20
  end function element
end program solve
