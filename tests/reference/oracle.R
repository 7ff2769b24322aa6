# Writes the expected answers of R (4.2) that tests/stats/oracle_test.c compares
# ours with: Rscript tests/reference/oracle.R, from the root of the repository.
#
# The files hold no data, only the seed, sizes, kind and shift from which both
# sides make them: the multiplicative generator of Park and Miller (s * 48271
# mod 2^31 - 1, exact in doubles) and plain arithmetic, so that R and C get the
# same bits. NA is written where R has no answer.

generate <- function(seed, n, kind) {
    u <- numeric(n)
    s <- seed
    for (i in seq_len(n)) {
        s <- (s * 48271) %% 2147483647
        u[i] <- s / 2147483647
    }
    x <- switch(kind + 1,
        u,                                        # 0 continuous
        floor(8 * u),                             # 1 heavy ties
        rep(5, n),                                # 2 constant
        (2 * u - 1) / (1.0000001 - abs(2 * u - 1)), # 3 heavy tails on both sides
        floor(40 * u) / 8,                        # 4 some ties
        1 / u,                                    # 5 skewed, Pareto
        ifelse(u < 0.5, 0, u))                    # 6 half of it zero
    list(x = x, seed = s)
}

two <- function(seed, m, n, kind, shift) {
    a <- generate(seed, m, kind)
    b <- generate(a$seed, n, kind)
    list(x = a$x, y = b$x + shift)
}

set.seed(20220422)
sizes <- function() {
    top <- sample(c(8, 30, 60, 200, 2000), 1, prob = c(.3, .4, .2, .08, .02))
    sample(2:top, 1)
}
problem <- function(kinds = 0:6, top = Inf) {
    list(seed = sample.int(2147483646, 1), m = min(top, sizes()), n = min(top, sizes()),
         kind = if (length(kinds) > 1) sample(kinds, 1) else kinds,
         shift = sample(c(0, 0.125, 0.5, 1), 1))
}

write_rows <- function(name, columns, count, row) {
    file <- file.path("tests/reference", paste0(name, ".tsv"))
    out <- file(file, "w")
    cat("# made by oracle.R: ", paste(columns, collapse = "\t"), "\n", sep = "", file = out)
    for (i in seq_len(count)) {
        cells <- suppressWarnings(row(i))
        text <- ifelse(is.na(cells), "NA", sprintf("%.17g", as.numeric(cells)))
        cat(paste(text, collapse = "\t"), "\n", sep = "", file = out)
    }
    close(out)
}
head5 <- c("seed", "m", "n", "kind", "shift")
COUNT <- 520

write_rows("mann_whitney", c(head5, "w", "p", "less", "greater"), COUNT, function(i) {
    q <- problem()
    d <- two(q$seed, q$m, q$n, q$kind, q$shift)
    t <- wilcox.test(d$x, d$y)
    c(unlist(q), t$statistic, t$p.value, wilcox.test(d$x, d$y, alternative = "less")$p.value,
      wilcox.test(d$x, d$y, alternative = "greater")$p.value)
})

write_rows("signed_rank", c(head5, "v", "p", "less", "greater"), COUNT, function(i) {
    q <- problem()
    q$n <- q$m
    d <- two(q$seed, q$m, q$n, q$kind, q$shift)
    t <- wilcox.test(d$x, d$y, paired = TRUE)
    c(unlist(q), t$statistic, t$p.value,
      wilcox.test(d$x, d$y, paired = TRUE, alternative = "less")$p.value,
      wilcox.test(d$x, d$y, paired = TRUE, alternative = "greater")$p.value)
})

# The exact interval; where R would stretch the extremes into one (the quantile
# of the statistic is 0) there is none. Forced exact above R's limit of 50.
write_rows("hodges_shift", c(head5, "alpha", "estimate", "low", "high"), COUNT, function(i) {
    q <- problem(kinds = c(0, 3, 5), top = if (i %% 10 == 0) 64 else 49)
    alpha <- sample(c(0.05, 0.1, 0.01), 1)
    d <- two(q$seed, q$m, q$n, q$kind, q$shift)
    t <- wilcox.test(d$x, d$y, exact = TRUE, conf.int = TRUE, conf.level = 1 - alpha)
    ends <- if (qwilcox(alpha / 2, q$m, q$n) == 0) c(NA, NA) else t$conf.int
    c(unlist(q), alpha, t$estimate, ends)
})

write_rows("hodges_centre", c(head5, "alpha", "estimate", "low", "high"), COUNT, function(i) {
    q <- problem(kinds = c(0, 3, 5), top = if (i %% 10 == 0) 150 else 49)
    q$n <- q$m
    alpha <- sample(c(0.05, 0.1, 0.01), 1)
    d <- two(q$seed, q$m, q$n, q$kind, q$shift)
    t <- wilcox.test(d$x, d$y, paired = TRUE, exact = TRUE, conf.int = TRUE,
                     conf.level = 1 - alpha)
    ends <- if (qsignrank(alpha / 2, q$m) == 0) c(NA, NA) else t$conf.int
    c(unlist(q), alpha, t$estimate, ends)
})

# Ranks of the interval's ends where R counts and we may not. Its qwilcox wants
# too much memory above 100.
write_ranks <- function() {
    file <- file("tests/reference/hodges_ranks.tsv", "w")
    cat("# made by oracle.R: m\tn\talpha\trank (n = 0: one sample)\n", file = file)
    for (alpha in c(.1, .05, .01)) {
        for (n in c(60, 120, 160, 200, 250, 300, 400, 500, 700, 1000))
            cat(n, 0, alpha, qsignrank(alpha / 2, n), sep = "\t", file = file, fill = TRUE)
        for (m in c(60, 80, 100)) for (n in c(55, 70, 90))
            cat(m, n, alpha, qwilcox(alpha / 2, m, n), sep = "\t", file = file, fill = TRUE)
    }
    close(file)
}
write_ranks()

write_rows("welch", c(head5, "t", "df", "p"), COUNT, function(i) {
    q <- problem()
    d <- two(q$seed, q$m, q$n, q$kind, q$shift)
    t <- tryCatch(t.test(d$x, d$y), error = function(e) NULL)
    c(unlist(q), if (is.null(t)) c(NA, NA, NA) else c(t$statistic, t$parameter, t$p.value))
})

write_rows("ks", c(head5, "d", "p"), COUNT, function(i) {
    q <- problem()
    d <- two(q$seed, q$m, q$n, q$kind, q$shift / 4)
    q$shift <- q$shift / 4
    t <- ks.test(d$x, d$y)
    c(unlist(q), t$statistic, t$p.value)
})

write_rows("mcnemar", c("b", "c", "p"), COUNT, function(i) {
    b <- sizes() - 2
    c <- if (runif(1) < .3) b else sizes() - 2
    c(b, c, if (b + c == 0) 1 else binom.test(b, b + c)$p.value)
})

write_rows("wilson", c("hits", "n", "confidence", "low", "high"), COUNT, function(i) {
    n <- sizes()
    hits <- if (runif(1) < .15) 0 else if (runif(1) < .15) n else sample(0:n, 1)
    confidence <- sample(c(.9, .95, .99), 1)
    c(hits, n, confidence, prop.test(hits, n, conf.level = confidence, correct = FALSE)$conf.int)
})

# Two checks per problem instead of all its values: sum of adjusted p, weighted
# by position so that a wrong order shows, and the smallest.
write_rows("adjust", c("seed", "n", "kind", "holm", "holm_min"), COUNT,
           function(i) {
    seed <- sample.int(2147483646, 1)
    n <- sizes()
    kind <- sample(c(0, 1, 2), 1)
    p <- pmin(1, generate(seed, n, kind)$x / 8)
    if (i %% 2 == 0) p <- p^4
    w <- seq_len(n) / n
    holm <- p.adjust(p, "holm")
    c(seed, n, kind + 10 * (i %% 2 == 0), sum(w * holm), min(holm))
})
