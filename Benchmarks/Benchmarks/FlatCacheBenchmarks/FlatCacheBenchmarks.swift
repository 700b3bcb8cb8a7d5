import Benchmark
import BenchmarkSupport

/// The rows of `Compare` as benchmarks, whose results can be stored and compared over time.
let benchmarks: @Sendable () -> Void = {
    ChildProcess.endWithParent()
    MemoryQuestion.answerIfAsked()
    OutsideWriter.writeIfAsked()
    for row in Row.all { register(row) }
}

private func register(_ row: Row) {
    // Metrics are integers, so ratios are in thousandths.
    let baseline = metric("Baseline (\(row.unit.rawValue))")
    let subject = metric("FlatCache (\(row.unit.rawValue))")
    let ratio = metric("Ratio (1/1000)")
    var number = 0
    Benchmark(
        "\(row.name) \(row.title) / \(row.baseline)",
        configuration: .init(
            metrics: [baseline, subject, ratio],
            units: [baseline: .count, subject: .count, ratio: .count],
            warmupIterations: 1,
            maxDuration: .seconds(300),
            maxIterations: 9
        ),
        closure: { benchmark, contest in
            number += 1
            let round = contest.round(number)
            guard round.ratio.isFinite else { return benchmark.error("Nothing could be measured.") }
            benchmark.measurement(baseline, Int(round.baseline.rounded()))
            benchmark.measurement(subject, Int(round.subject.rounded()))
            benchmark.measurement(ratio, Int((round.ratio * 1_000).rounded()))
        },
        setup: { row.prepare(.full) }
    )
}

private func metric(_ name: String) -> BenchmarkMetric {
    .custom(name, polarity: .prefersSmaller, useScalingFactor: false)
}
