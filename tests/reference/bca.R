# Expected z0, acceleration and BCa limits for given resamples, from R's qnorm,
# pnorm and quantile. Data and resample indices come from a linear congruential
# generator that the test repeats, so that only the answers need to be stored:
#   Rscript tests/reference/bca.R > tests/reference/bca.tsv
state <- 0
# 1103515245 * 2^31 does not fit in a double: multiply in halves.
draw <- function(n) {
  out <- numeric(n)
  for (i in seq_len(n)) {
    high <- floor(state / 65536); low <- state %% 65536
    state <<- (((high * 1103515245) %% 2147483648) * 65536 + low * 1103515245 + 12345) %% 2147483648
    out[i] <- state / 2147483648
  }
  out
}
shapes <- list(function(u) u, function(u) -log(1 - u), function(u) floor(10 * u),
               function(u) (1 - u)^(-1/3), function(u) exp(3 * u))
iqm <- function(x) { x <- sort(x); k <- length(x) %/% 4; mean(x[(k + 1):(length(x) - k)]) }
statistics <- list(mean, median, iqm)
cat("# tests/reference/bca.R: seed, n, resamples, shape, statistic, confidence, z0, acceleration, low, high\n")
for (seed in 1:600) {
  state <- seed * 7919
  n <- 2 + floor(draw(1)^3 * (if (seed %% 20 == 0) 500 else 60))
  resamples <- 100 + floor(200 * draw(1))
  shape <- seed %% 5; kind <- seed %% 3
  confidence <- c(0.9, 0.95, 0.99)[1 + seed %% 7 %% 3]
  x <- shapes[[shape + 1]](draw(n))
  f <- statistics[[kind + 1]]
  theta <- f(x)
  b <- vapply(seq_len(resamples), function(k) f(x[1 + floor(n * draw(n))]), 0)
  tied <- abs(b - theta) <= 1e-12 * abs(theta) # permutations of x, but for rounding
  z0 <- qnorm((sum(b < theta & !tied) + 0.5 * sum(tied)) / resamples)
  without <- vapply(seq_len(n), function(i) f(x[-i]), 0)
  u <- mean(without) - without
  a <- if (sum(u^2) > 0) sum(u^3) / (6 * sum(u^2)^1.5) else 0
  z <- qnorm(c((1 - confidence) / 2, (1 + confidence) / 2))
  limits <- quantile(b, pnorm(z0 + (z0 + z) / (1 - a * (z0 + z))), type = 7, names = FALSE, na.rm = TRUE)
  if (!is.finite(z0) || min(b) == max(b)) next
  cat(seed, n, resamples, shape, kind, confidence,
      formatC(c(z0, a, limits), digits = 17, format = "g", width = 1), sep = "\t")
  cat("\n")
}
