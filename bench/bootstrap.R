# R's side of bench/bootstrap.c: boot() alone, without the interval. Reads one
# number a line from the file named; then for each line on standard input runs
# once and prints the seconds of CPU and the mean of the resampled statistics.
suppressPackageStartupMessages(library(boot))
args <- commandArgs(trailingOnly = TRUE)
x <- scan(args[1], quiet = TRUE)
statistic <- function(d, i) mean(d[i])
input <- file("stdin", "r")
while (length(readLines(input, 1)) == 1) {
  spent <- system.time(b <- boot(x, statistic, as.integer(args[2])))
  seconds <- spent[["user.self"]] + spent[["sys.self"]]
  cat(seconds, mean(b$t), "\n")
  flush(stdout())
}
