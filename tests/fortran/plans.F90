  ! Machines, schedules and plans by their handles, and that schedules and plans run.
  subroutine machines()
    type(allport_machine_handle) :: machine, placed, back
    type(allport_plan_handle) :: plan
    integer(c_int) :: nodes, per_node, places(12), axes, lengths(8), wraps(8), neighbour, works, hops, i
    integer(c_int64_t) :: links
    real(c_double) :: bandwidth, latency
    call expect(allport_machine_create('torus:4x3m', machine), 'machine_create')
    call expect(allport_machine_size(machine, nodes, per_node, i, links), 'machine_size')
    call assert(nodes == 12 .and. per_node == 1 .and. i == 12 .and. links == 40, 'the size of a machine')
    call expect(allport_machine_extents(machine, axes, lengths, wraps), 'machine_extents')
    call assert(axes == 2 .and. all(lengths(:2) == [4, 3]) .and. all(wraps(:2) == [1, 0]), 'extents of a machine')
    call expect(allport_machine_link(machine, 0, 0, neighbour, bandwidth, latency, works), 'machine_link')
    call assert(neighbour == 3 .and. bandwidth > 0 .and. latency >= 0 .and. works == 1, 'a link round the ring')
    call expect(allport_machine_hops(machine, 0, 11, hops), 'machine_hops')
    call assert(hops == 3, 'hops of the shortest way')
    call expect(allport_machine_from_toml(allport_machine_toml(machine), back), 'machine_from_toml')
    call assert(allport_machine_json(back) == allport_machine_json(machine), 'the same machine')
    call assert(allport_machine_name(back) == 'torus:4x3m', 'a machine''s name')
    places = [(mod(i + 5, 12), i=0, 11)]
    call expect(allport_machine_placed(machine, places, placed), 'machine_placed')
    call assert(allport_machine_create('torus:0', back) == allport_machine, 'a wrong spec')
    call assert(allport_plan_potrf(machine, 'd', 'L', 9, plan, options='tiles=3') == allport_argument, 'wrong options')
    call assert(index(allport_error(), 'tiles=3') > 0, 'the message names the option')
    call assert(len(allport_machine_preset(0)) > 0 .and. len(allport_machine_preset(1000)) == 0, 'presets')
    i = 0
    do while (len(allport_algorithm_name('bcast', i)) > 0)
      call assert(len(allport_algorithm_summary('bcast', allport_algorithm_name('bcast', i))) > 0, 'a summary')
      i = i + 1
    end do
    call assert(i > 2, 'some algorithms')
    call parts(machine)
    call expect(allport_machine_free(placed), 'machine_free')
    call expect(allport_machine_free(back), 'machine_free of null')
    call expect(allport_machine_free(machine), 'machine_free')
    call assert(.not. c_associated(machine%handle), 'a freed machine is null')
  end subroutine machines

  ! Schedules of some ranks, and of blocks of different lengths, on a 4 x 3 machine.
  subroutine parts(machine)
    type(allport_machine_handle), intent(in) :: machine
    type(allport_comm) :: alone
    type(allport_machine_handle) :: part
    type(allport_schedule_handle) :: schedule
    integer(c_int) :: many, root, window, trees, i
    integer(c_int64_t) :: bytes, segment
    real(c_double) :: seconds
    call expect(allport_machine_part(machine, 5, [0_c_int, 1_c_int, 2_c_int, 7_c_int, 11_c_int], part), 'machine_part')
    call expect(allport_schedule_create(part, 'bcast', 4096_c_int64_t, 4, schedule), 'schedule_create of a part')
    call expect(allport_schedule_verify(schedule), 'schedule_verify of a part')
    call expect(allport_schedule_simulate(schedule, seconds, on=part), 'schedule_simulate of a part')
    call expect(allport_schedule_shape(schedule, many, root, bytes, segment, window, trees), 'schedule_shape')
    call assert(many == 5 .and. root == 4 .and. seconds > 0, 'the shape of a part''s schedule')
    call expect(allport_schedule_free(schedule), 'schedule_free')
    call expect(allport_machine_free(part), 'machine_free of a part')
    call expect(allport_schedule_create_v(machine, 'allgather', [(8_c_int64_t * i, i=1, 12)], 0, schedule), 'create_v')
    call expect(allport_schedule_verify(schedule), 'schedule_verify of blocks')
    call expect(allport_schedule_shape(schedule, many, root, bytes, segment, window, trees), 'schedule_shape')
    call assert(many == 12 .and. bytes == 96, 'the longest block')
    call expect(allport_schedule_free(schedule), 'schedule_free')
    call expect(allport_comm_part(rated, 1, [int(rank, c_int)], alone), 'comm_part')
    call expect(allport_comm_rank(alone, root, many), 'comm_rank of a part')
    call assert(root == 0 .and. many == 1, 'a rank alone')
    call expect(allport_comm_free(alone), 'comm_free of a part')
  end subroutine parts

  subroutine schedules()
    type(allport_machine_handle) :: machine
    type(allport_schedule_handle) :: schedule, back
    type(allport_transfer) :: transfer
    integer(c_int64_t), target :: mine(20), all_sums(20)
    integer(c_int64_t) :: bytes, segment, sent, got, sent_bytes, got_bytes
    integer(c_int) :: many, root, window, trees
    real(c_double) :: seconds, bound, mpi, simulated, again
    integer :: i
    call expect(allport_comm_machine(rated, machine), 'comm_machine')
    call expect(allport_schedule_create(machine, 'allreduce', 160_c_int64_t, 0, schedule, 'element=8'), 'schedule_create')
    call expect(allport_schedule_seconds(schedule, seconds, bound, mpi), 'schedule_seconds')
    call expect(allport_schedule_simulate(schedule, simulated), 'schedule_simulate')
    call assert(simulated >= bound .and. (ranks == 1 .or. simulated > 0), 'seconds of a schedule')
    call expect(allport_schedule_verify(schedule), 'schedule_verify')
    call expect(allport_schedule_shape(schedule, many, root, bytes, segment, window, trees), 'schedule_shape')
    call assert(many == ranks .and. bytes == 160 .and. window == 2, 'the shape of a schedule')
    call expect(allport_schedule_traffic(schedule, rank, sent, sent_bytes, got, got_bytes), 'schedule_traffic')
    call assert(sent + got > 0 .or. ranks == 1, 'messages of a rank')
    call assert(allport_schedule_collective(schedule) == 'allreduce', 'the collective''s name')
    call assert(index(allport_schedule_reason(schedule), allport_schedule_algorithm(schedule)) > 0, 'a reason')
    call assert(index(allport_schedule_choice(schedule), 'candidates') > 0, 'a choice')
    call expect(allport_schedule_from_json(allport_schedule_json(schedule), back), 'schedule_from_json')
    call assert(allport_schedule_json(back) == allport_schedule_json(schedule), 'the same schedule')
    call assert(allport_schedule_simulate(back, again) == allport_argument, 'a schedule for no machine')
    call expect(allport_schedule_simulate(back, again, on=machine, options='overheads=parallel'), 'schedule_simulate')
    call assert(again <= simulated .and. again >= simulated, 'the same seconds')
    mine = [(int(i * (rank + 1), c_int64_t), i=1, 20)]
    call expect(allport_schedule_run(rated, schedule, allport_sum, 'l', c_loc(mine), c_loc(all_sums)), 'schedule_run')
    call assert(all(all_sums == [(i * ranks * (ranks + 1) / 2, i=1, 20)]), 'the sums of a schedule')
    call expect(allport_schedule_start(rated, back, allport_max, 'l', c_loc(mine), c_loc(all_sums), transfer), 'start')
    call expect(allport_wait(transfer), 'wait')
    call assert(all(all_sums == [(i * ranks, i=1, 20)]), 'the largest of a schedule')
    call expect(allport_schedule_free(back), 'schedule_free')
    call expect(allport_schedule_free(schedule), 'schedule_free')
    call expect(allport_machine_free(machine), 'machine_free')
  end subroutine schedules

  ! Cholesky of 2 I + ones by a plan, in blocks of nb rows over all ranks, against its closed form in the first column.
  subroutine plans()
    type(allport_machine_handle) :: machine
    type(allport_plan_handle) :: plan
    type(allport_distribution) :: wanted, lies
    real(c_double), allocatable :: a(:, :)
    real(c_double) :: seconds, bound
    integer(c_int64_t) :: block, words, messages, bytes, info, rows, cols
    integer(c_int) :: grid(3)
    integer :: i, j
    call expect(allport_comm_machine(rated, machine), 'comm_machine')
    call expect(allport_plan_gemm(machine, 'd', 'N', 'N', m, n, k, plan, 'algorithm=summa'), 'plan_gemm')
    call assert(allport_plan_algorithm(plan) == 'summa', 'the plan''s algorithm')
    call expect(allport_plan_seconds(plan, seconds), 'plan_seconds')
    call expect(allport_plan_grid(plan, grid(1), grid(2), grid(3)), 'plan_grid')
    call assert(seconds > 0 .and. product(grid) <= ranks, 'seconds and grid of a plan')
    call expect(allport_plan_simulate(plan, bound, 'workers=1'), 'plan_simulate')
    call assert(bound > 0, 'simulated seconds of a plan')
    call expect(allport_plan_traffic(plan, words, messages, bound), 'plan_traffic')
    call expect(allport_plan_memory(plan, bytes), 'plan_memory')
    call assert(words >= bound .and. bytes > 0, 'words and bytes of a plan')
    call expect(allport_plan_distribution(plan, 'C', wanted), 'plan_distribution')
    call expect(allport_distribution_local(wanted, rank, rows, cols), 'local')
    call assert(rows <= m .and. cols <= n, 'where the plan wants C')
    call expect(allport_distribution_free(wanted), 'distribution_free')
    call expect(allport_plan_free(plan), 'plan_free')

    call cyclic(m, m, lies)
    call expect(allport_plan_getrf(machine, 'd', m, m, plan, given=lies, options='pivoting=none'), 'plan_getrf')
    call assert(index(allport_plan_json(plan), 'chosen') > 0, 'a plan as JSON')
    call expect(allport_plan_free(plan), 'plan_free')
    call expect(allport_plan_geqrf(machine, 'd', m, n, plan, options='nb=4'), 'plan_geqrf')
    call expect(allport_plan_free(plan), 'plan_free')
    call expect(allport_plan_potrf(machine, 'd', 'L', m, plan, given=lies), 'plan_potrf')
    call expect(allport_plan_block(plan, block), 'plan_block')
    call assert(block > 0, 'a tile')
    allocate (a(held(lies, 1), held(lies, 2)))
    a = 1
    do i = 1, size(a, 1)
      a(i, whole(i)) = 3
    end do
    call expect(allport_potrf_planned(rated, plan, a, lies, info), 'potrf_planned')
    call assert(info == 0, 'INFO of a plan')
    do i = 1, size(a, 1)
      do j = 1, whole(i)
        ! L(j, j)^2 = 2 (j + 2) / (j + 1), L(i, j) L(j, j) = 2 / (j + 1)
        seconds = merge(2.0_c_double * (j + 2), 2.0_c_double, j == whole(i)) / (j + 1)
        bound = a(i, j) * merge(a(i, j), sqrt(2.0_c_double * (j + 2) / (j + 1)), j == whole(i))
        call assert(abs(bound - seconds) < 1e-12, 'an element of L')
      end do
    end do
    call expect(allport_plan_free(plan), 'plan_free')
    call expect(allport_distribution_free(lies), 'distribution_free')
    call expect(allport_machine_free(machine), 'machine_free')
  end subroutine plans
