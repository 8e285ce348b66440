  ! Machines, schedules and plans by their handles, and that schedules and plans run.
  subroutine machines()
    type(allport_machine) :: machine, placed, back
    type(allport_plan) :: plan
    type(allport_machine_info) :: info
    integer(c_int) :: places(12), neighbour, works, hops, i
    real(c_double) :: bandwidth, latency
    call expect(allport_machine_create('torus:4x3m', machine), 'machine_create')
    call expect(allport_machine_query(machine, info), 'machine_query')
    call assert(info%nodes == 12 .and. info%ranks_per_node == 1 .and. info%ranks == 12 .and. info%links == 40, 'its size')
    call assert(info%axes == 2 .and. all(info%lengths(:3) == [4, 3, 0]) .and. all(info%wraps(:2) == [1, 0]), 'its extents')
    call expect(allport_machine_link(machine, 0, 0, neighbour, bandwidth, latency, works), 'machine_link')
    call assert(neighbour == 3 .and. bandwidth > 0 .and. latency >= 0 .and. works == 1, 'a link round the ring')
    call expect(allport_machine_hops(machine, 0, 11, hops), 'machine_hops')
    call assert(hops == 3, 'hops of the shortest way')
    call expect(allport_machine_create(allport_machine_text(machine, 'toml'), back), 'machine_from_toml')
    call assert(allport_machine_text(back, 'json') == allport_machine_text(machine, 'json'), 'the same machine')
    call assert(allport_machine_text(back, 'name') == 'torus:4x3m', 'a machine''s name')
    places = [(mod(i + 5, 12), i=0, 11)]
    call expect(allport_machine_placed(machine, places, placed), 'machine_placed')
    call assert(allport_machine_create('torus:0', back) == allport_err_machine, 'a wrong spec')
    call assert(allport_plan_create(machine, 'potrf', allport_double, 9, 9, 0, plan, 'L', options='tiles=3') == allport_err_argument, 'wrong options')
    call assert(index(allport_error(), 'tiles=3') > 0, 'the message names the option')
    call assert(len(allport_algorithm_text('machine', 0, 'name')) > 0 .and. &
                len(allport_algorithm_text('machine', 1000, 'name')) == 0, 'presets')
    i = 0
    do while (len(allport_algorithm_text('bcast', i, 'name')) > 0)
      call assert(len(allport_algorithm_text('bcast', i, 'summary')) > 0, 'a summary')
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
    type(allport_machine), intent(in) :: machine
    type(allport_comm) :: alone
    type(allport_machine) :: part
    type(allport_schedule) :: schedule
    type(allport_schedule_info) :: info
    integer(c_int) :: many, root, i
    real(c_double) :: seconds
    call expect(allport_machine_part(machine, 5, [0_c_int, 1_c_int, 2_c_int, 7_c_int, 11_c_int], part), 'machine_part')
    call expect(allport_schedule_create(part, 'bcast', 4096_c_int64_t, 4, schedule), 'schedule_create of a part')
    call expect(allport_schedule_verify(schedule), 'schedule_verify of a part')
    call expect(allport_schedule_simulate(schedule, seconds, on=part), 'schedule_simulate of a part')
    call expect(allport_schedule_query(schedule, -1, info), 'schedule_query')
    call assert(info%ranks == 5 .and. info%root == 4 .and. seconds > 0, 'the shape of a part''s schedule')
    call expect(allport_schedule_free(schedule), 'schedule_free')
    call expect(allport_machine_free(part), 'machine_free of a part')
    call expect(allport_schedule_create(machine, 'allgather', 0_c_int64_t, 0, schedule, [(8_c_int64_t * i, i=1, 12)]), &
                'schedule_create of blocks')
    call expect(allport_schedule_verify(schedule), 'schedule_verify of blocks')
    call expect(allport_schedule_query(schedule, -1, info), 'schedule_query')
    call assert(info%ranks == 12 .and. info%bytes == 96, 'the longest block')
    call expect(allport_schedule_free(schedule), 'schedule_free')
    call expect(allport_comm_part(rated, 1, [int(rank, c_int)], alone), 'comm_part')
    call expect(allport_comm_rank(alone, root, many), 'comm_rank of a part')
    call assert(root == 0 .and. many == 1, 'a rank alone')
    call expect(allport_comm_free(alone), 'comm_free of a part')
  end subroutine parts

  subroutine schedules()
    type(allport_machine) :: machine
    type(allport_schedule) :: schedule, back
    type(allport_schedule_info) :: info
    type(allport_request) :: request
    integer(c_int64_t), target :: mine(20), all_sums(20)
    real(c_double) :: simulated, again
    integer :: i
    call expect(allport_comm_machine(rated, machine), 'comm_machine')
    call expect(allport_schedule_create(machine, 'allreduce', 160_c_int64_t, 0, schedule, options='element=8'), 'schedule_create')
    call expect(allport_schedule_query(schedule, rank, info), 'schedule_query')
    call expect(allport_schedule_simulate(schedule, simulated), 'schedule_simulate')
    call assert(simulated >= info%bound .and. (ranks == 1 .or. simulated > 0), 'seconds of a schedule')
    call expect(allport_schedule_verify(schedule), 'schedule_verify')
    call assert(info%ranks == ranks .and. info%bytes == 160 .and. info%window == 2, 'the shape of a schedule')
    call assert(info%messages_sent + info%messages_received > 0 .or. ranks == 1, 'messages of a rank')
    call assert(allport_schedule_text(schedule, 'collective') == 'allreduce', 'the collective''s name')
    call assert(index(allport_schedule_text(schedule, 'reason'), allport_schedule_text(schedule, 'algorithm')) > 0, 'a reason')
    call assert(index(allport_schedule_text(schedule, 'choice'), 'candidates') > 0, 'a choice')
    call expect(allport_schedule_from_json(allport_schedule_text(schedule, 'json'), back), 'schedule_from_json')
    call assert(allport_schedule_text(back, 'json') == allport_schedule_text(schedule, 'json'), 'the same schedule')
    call assert(allport_schedule_simulate(back, again) == allport_err_argument, 'a schedule for no machine')
    call expect(allport_schedule_simulate(back, again, on=machine, options='overheads=parallel'), 'schedule_simulate')
    call assert(again <= simulated .and. again >= simulated, 'the same seconds')
    mine = [(int(i * (rank + 1), c_int64_t), i=1, 20)]
    call expect(allport_schedule_run(rated, schedule, allport_sum, allport_int64_t, c_loc(mine), c_loc(all_sums)), 'schedule_run')
    call assert(all(all_sums == [(i * ranks * (ranks + 1) / 2, i=1, 20)]), 'the sums of a schedule')
    call expect(allport_schedule_run(rated, back, allport_max, allport_int64_t, c_loc(mine), c_loc(all_sums), &
                                     request=request), 'schedule_run that is started')
    call expect(allport_wait(request), 'wait')
    call assert(all(all_sums == [(i * ranks, i=1, 20)]), 'the largest of a schedule')
    call expect(allport_schedule_free(back), 'schedule_free')
    call expect(allport_schedule_free(schedule), 'schedule_free')
    call expect(allport_machine_free(machine), 'machine_free')
  end subroutine schedules

  ! Cholesky of 2 I + ones by a plan, in blocks of nb rows over all ranks, against its closed form in the first column.
  subroutine plans()
    type(allport_machine) :: machine
    type(allport_plan) :: plan
    type(allport_distribution) :: wanted, lies
    real(c_double), allocatable :: a(:, :)
    type(allport_plan_info) :: said
    real(c_double) :: seconds, bound
    integer(c_int64_t) :: info, rows, cols
    integer :: i, j
    call expect(allport_comm_machine(rated, machine), 'comm_machine')
    call expect(allport_plan_create(machine, 'gemm', allport_double, m, n, k, plan, 'NN', &
                                    options='algorithm=summa'), 'plan of gemm')
    call assert(allport_plan_text(plan, 'algorithm') == 'summa', 'the plan''s algorithm')
    call expect(allport_plan_query(plan, said), 'plan_query')
    call assert(said%seconds > 0 .and. said%rows * said%cols * said%layers <= ranks, 'seconds and grid of a plan')
    call expect(allport_plan_simulate(plan, bound, 'workers=1'), 'plan_simulate')
    call assert(bound > 0, 'simulated seconds of a plan')
    call assert(said%words >= said%bound_words .and. said%memory > 0, 'words and bytes of a plan')
    call expect(allport_plan_distribution(plan, 'C', wanted), 'plan_distribution')
    call expect(allport_distribution_local(wanted, rank, rows, cols), 'local')
    call assert(rows <= m .and. cols <= n, 'where the plan wants C')
    call expect(allport_distribution_free(wanted), 'distribution_free')
    call expect(allport_plan_free(plan), 'plan_free')

    call cyclic(m, m, lies)
    call expect(allport_plan_create(machine, 'getrf', allport_double, m, m, 0, plan, given=lies, &
                                    options='pivoting=none'), 'plan of getrf')
    call assert(index(allport_plan_text(plan, 'json'), 'chosen') > 0, 'a plan as JSON')
    call expect(allport_plan_free(plan), 'plan_free')
    call expect(allport_plan_create(machine, 'geqrf', allport_double, m, n, 0, plan, options='nb=4'), 'plan of geqrf')
    call expect(allport_plan_free(plan), 'plan_free')
    call expect(allport_plan_create(machine, 'potrf', allport_double, m, m, 0, plan, 'L', lies), 'plan of potrf')
    call expect(allport_plan_query(plan, said), 'plan_query')
    call assert(said%panel > 0, 'a tile')
    allocate (a(held(lies, 1), held(lies, 2)))
    a = 1
    do i = 1, size(a, 1)
      a(i, whole(i)) = 3
    end do
    call expect(allport_potrf(rated, 'L', a, lies, info, plan), 'potrf by a plan')
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
