# Says how probable each label of a case is that is known in part; see docs/models.md of budgeted.
#   predict_case(list(fever = "yes"))           a list: label, probabilities
#   predict_cases(read.csv("cases.csv", check.names = FALSE, colClasses = "character"))
# NA, NULL, NaN, "" and "?" are not known. What is no value of its feature, or no feature, is an
# error. force = TRUE takes numbers that are outside the range of their feature.

predict_case <- function(given, force = FALSE) {
  m <- MODEL
  at <- match(names(given), vapply(m$features, function(each) each$name, ""))
  if (anyNA(at) || length(at) != length(given)) {
    stop("the model has no feature ", sQuote(names(given)[is.na(at)][1]), call. = FALSE)
  }
  given <- given[!vapply(given, .not_known, NA)]
  at <- match(names(given), vapply(m$features, function(each) each$name, ""))
  value <- mapply(function(where, told) .category(m$features[[where]], told, force), at, given)
  power <- .weights(vapply(m$features[at], function(each) each$sensitivity, 0))
  said <- matrix(log(m$prior), length(m$labels), length(m$weights))
  said <- said + rep(log(m$weights), each = length(m$labels))
  for (k in seq_along(at)) {
    said <- said + power[k] * as.vector(m$features[[at[k]]]$logs[, value[[k]], ])
  }
  scores <- apply(said, 1, .log_sum)
  chances <- exp(scores - .log_sum(scores))
  list(label = m$labels[which.max(scores)], probabilities = setNames(chances, m$labels))
}

predict_cases <- function(cases, force = FALSE) {
  names <- vapply(MODEL$features, function(each) each$name, "")
  found <- lapply(seq_len(nrow(cases)), function(row) {
    case <- as.list(cases[row, intersect(names(cases), names), drop = FALSE])
    predict_case(lapply(case, function(cell) if (is.factor(cell)) as.character(cell) else cell), force)
  })
  chances <- do.call(rbind, lapply(found, function(each) each$probabilities))
  data.frame(label = vapply(found, function(each) each$label, ""), chances, check.names = FALSE)
}

.not_known <- function(told) length(told) == 0 || is.na(told) || identical(told, "") || identical(told, "?")

# The position of the category that a value belongs to, from 1.
.category <- function(feature, told, force) {
  if (is.null(feature$cuts)) {
    found <- match(as.character(told), feature$categories)
    if (is.na(found)) {
      stop("feature ", sQuote(feature$name), " has no value ", sQuote(told), "; there are ",
           paste(sQuote(feature$categories), collapse = ", "), call. = FALSE)
    }
    return(found)
  }
  number <- told
  if (is.character(told)) {
    mark <- if (feature$decimal == "comma") "," else "."
    plain <- "^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{1,2})?$"
    text <- sub("\u2212", "-", trimws(told))
    dotted <- if (mark == ",") gsub(",", ".", text, fixed = TRUE) else text
    wrong <- (mark == "," && grepl(".", text, fixed = TRUE)) || !grepl(plain, dotted)
    number <- if (wrong) NA else as.numeric(dotted)
  }
  if (!is.numeric(number) || !is.finite(number)) {
    stop("feature ", sQuote(feature$name), " takes ", feature$expects, ", got ", sQuote(told),
         call. = FALSE)
  }
  outside <- (!is.null(feature$least) && number < feature$least) ||
    (!is.null(feature$most) && number > feature$most)
  if (outside && !force) {
    stop("feature ", sQuote(feature$name), ": ", told, " is outside its range; it takes ",
         feature$expects, call. = FALSE)
  }
  1 + sum(number >= feature$cuts)
}

# How much each known feature counts: less, the more they repeat each other.
.weights <- function(sizes) {
  falling <- sort(sizes, decreasing = TRUE)
  squares <- sum(sizes^2)
  number <- if (squares > 0) sum(sizes)^2 / squares else 1
  copies <- MODEL$copies
  found <- rep(sum(copies[, 2] / (1 + copies[, 1] * (number - 1))), length(sizes))
  for (row in seq_len(nrow(MODEL$one_cause))) {
    rho <- MODEL$one_cause[row, 1]
    least <- max(0, rho * cumsum(falling) / (1 + rho * (seq_along(falling) - 1)))
    counts <- if (rho == 0) 1 else ifelse(sizes > 0, pmax(0, 1 - least / sizes) / (1 - rho), 0)
    found <- found + MODEL$one_cause[row, 2] * counts
  }
  found
}

.log_sum <- function(logs) max(logs) + log(sum(exp(logs - max(logs))))
