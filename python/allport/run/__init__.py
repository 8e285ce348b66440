"""Starting ranks and running jobs on them: the launcher, a rank's side of it, jobs on files, calibration."""
