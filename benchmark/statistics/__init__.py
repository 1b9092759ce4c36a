"""Numbers with their doubt: intervals, paired differences, macro means, repeats, agreement, and a judge's error undone.

Pure functions over plain sequences. A value is one case's share in [0, 1] (repeats are averaged within the case before
they come here), a cluster is a label: cases that share a video, a document template or a source task resemble each
other, so a thousand of them say less than a thousand strangers would. Every function here pays for that, and every one
stays honest where there is little to say: nothing scored, one cluster, none or all of n. Which cases count, and what
counts as a hit, is decided elsewhere.

The methods are the usual ones, with three small-sample repairs that simulation asked for
(`tests/performance/coverage_simulation.py` prints the coverage):

- A design effect measured on few hits is too noisy to trust, most of all when it comes out small. It is blended with
  the one that an intra-cluster correlation of 0.3 would give, which weighs as much as three hits, and is never lowered
  by that. Where every case is its own cluster this changes nothing.
- A percentile bootstrap over a dozen clusters is too narrow. Its deviations are stretched by what the variance of C
  clusters and the t distribution at C-1 degrees of freedom ask for, and it is never reported narrower than the
  closed-form interval on the effective n, which also speaks where no resample differs.
- The interval of a rate corrected for its judge's error uses the quantile for four fifths of the allowed miss.
"""

from benchmark.statistics.correction import Corrected, JudgeError, corrected_rate, judge_error
from benchmark.statistics.differences import (
    Difference,
    McNemar,
    detectable_difference,
    holm,
    mcnemar,
    paired_difference,
    paired_macro_difference,
    power_of,
    sign_flip,
)
from benchmark.statistics.raters import Agreement, Estimate, Metric, agreement, krippendorff_alpha, majority
from benchmark.statistics.rates import Interval, Macro, Repeats, interval, macro, repeats, wilson
from benchmark.statistics.rounding import mean_percent, percent
from benchmark.statistics.sampling import InvalidSample

__all__ = [
    "Agreement",
    "Corrected",
    "Difference",
    "Estimate",
    "Interval",
    "InvalidSample",
    "JudgeError",
    "Macro",
    "McNemar",
    "Metric",
    "Repeats",
    "agreement",
    "corrected_rate",
    "detectable_difference",
    "holm",
    "interval",
    "judge_error",
    "krippendorff_alpha",
    "macro",
    "majority",
    "mcnemar",
    "mean_percent",
    "paired_difference",
    "paired_macro_difference",
    "percent",
    "power_of",
    "repeats",
    "sign_flip",
    "wilson",
]
