import Testing

/// Random operations, compared step by step with a naive model.
///
/// See `ModelSettings` for how to reproduce a failure, or to run for long. One test at a time,
/// since `TrapReport` is about the whole process.
@Suite(.serialized)
struct ModelTests {
    @Test("Random operations on a cache do what they do on its model")
    func cacheOperations() {
        let settings = ModelSettings()
        var counts: [String: Int] = [:]
        for seed in settings.seeds {
            var generator = ModelGenerator(seed: seed)
            let sequence = ModelSequence(
                world: generator.world,
                operations: generator.operations(count: settings.steps)
            )
            let failure = TrapReport.during(seed) {
                sequence.firstDifference { counts[$0.name, default: 0] += 1 }.map {
                    ($0.operationCount, sequence.shrunk(from: $0, attempts: 1000))
                }
            }
            guard let (step, (shortest, difference)) = failure else { continue }
            Issue.record(
                """
                With \(ModelSettings.seedVariable)=\(seed) the cache differs from its model at \
                step \(step). What remains of the steps when they are shortened:
                \(shortest.operations.map { "\($0)" }.joined(separator: "\n"))
                \(difference)
                """
            )
            return
        }
        guard settings.seeds.count >= 100 else { return }
        for name in Self.expectedEvents {
            #expect(counts[name, default: 0] > 100, "The sequences hardly show: \(name)")
        }
    }

    @Test("Random changes to the watch graph reach what plain reachability says")
    func graphOperations() {
        let settings = ModelSettings()
        for seed in settings.seeds {
            var generator = GraphGenerator(seed: seed)
            let sequence = GraphSequence(
                fewUnits: generator.fewUnits,
                operations: generator.operations(count: settings.steps)
            )
            let failure = TrapReport.during(seed) {
                sequence.firstDifference().map { ($0.operationCount, sequence.shrunk(from: $0)) }
            }
            guard let (step, (shortest, difference)) = failure else { continue }
            Issue.record(
                """
                With \(ModelSettings.seedVariable)=\(seed) the watch graph is wrong at step \(step). \
                What remains of the steps when they are shortened:
                \(shortest.operations.map { "\($0)" }.joined(separator: "\n"))
                \(difference)
                """
            )
            return
        }
    }

    /// What a run of many sequences must have shown, or the generator is of no use.
    private static let expectedEvents = [
        "returned", "updating", "threw", "completed", "state", "batch state", "snapshot state",
        "notified of value", "notified of inserted", "notified of updated",
        "notified of removed", "notified of related",
    ]
}
