import Testing
import TestSupport

struct RandomTestSettingsTests {
    private func settings(
        seeds: Int = 10,
        hasThreads: Bool = false,
        _ environment: [String: String]
    ) -> RandomTestSettings {
        RandomTestSettings(
            seeds: seeds,
            steps: 60,
            hasThreads: hasThreads,
            environment: environment
        )
    }

    @Test func defaultsAreAQuarterOfTheTestsOwnNumbers() {
        let settings = settings(seeds: 12, [:])
        #expect(settings.seeds == [1, 2, 3])
        #expect(settings.steps == 60)
        #expect(!settings.isReplay)
    }

    @Test func seedAloneIsTheOnlyOne() {
        let settings = settings(["FLATCACHE_SEED": "17"])
        #expect(settings.seeds == [17])
        #expect(settings.isReplay)
    }

    @Test func seedIsTheFirstOfANumberOfSeeds() {
        let settings = settings(["FLATCACHE_SEED": "17", "FLATCACHE_SEEDS": "3"])
        #expect(settings.seeds == [17, 18, 19])
    }

    @Test func seedIsRepeatedWhereThreadsMeet() {
        let seed = ["FLATCACHE_SEED": "17"]
        #expect(settings(seeds: 12, hasThreads: true, seed).seeds == [17, 17, 17])
        let seeds = seed.merging(["FLATCACHE_SEEDS": "2"]) { $1 }
        #expect(settings(seeds: 3, hasThreads: true, seeds).seeds == [17, 17])
    }

    @Test(arguments: [("0.2", 2), ("1", 10), ("0.19", 1), ("0", 1), ("2.5", 25), ("x", 2)])
    func scaleIsAFactorOfTheNumberOfSeeds(scale: String, count: Int) {
        #expect(settings(["FLATCACHE_RANDOM_SCALE": scale]).seeds.count == count)
    }

    @Test func scaleDoesNotApplyToANumberFromTheEnvironment() {
        let variables = ["FLATCACHE_RANDOM_SCALE": "0.1", "FLATCACHE_SEEDS": "50"]
        #expect(settings(variables).seeds.count == 50)
        #expect(settings(["FLATCACHE_RANDOM_SCALE": "0.1"]).steps == 60)
    }

    @Test func stepsReplaceTheTestsOwnNumber() {
        #expect(settings(["FLATCACHE_STEPS": "5"]).steps == 5)
    }

    @Test func failureStopsTheRunAndIsRecorded() {
        var performed: [Seed] = []
        withKnownIssue {
            let isPassed = settings(RandomTestSettings.whole).forEachSeed { seed in
                performed.append(seed)
                return FailureReport(seed: seed, problems: seed == 3 ? ["Out of order"] : [])
            }
            #expect(!isPassed)
        } matching: { issue in
            issue.comments.contains {
                $0.rawValue.contains("FLATCACHE_SEED=3") && $0.rawValue.contains("Out of order")
            }
        }
        #expect(performed == [1, 2, 3])
    }

    @Test func generatorRepeatsTheNumbersOfItsSeedAndStream() {
        func numbers(_ seed: Seed, stream: Int) -> [UInt64] {
            var generator = SplitMix64(seed: seed, stream: stream)
            return (0..<4).map { _ in generator.next() }
        }
        #expect(numbers(1, stream: 2) == numbers(1, stream: 2))
        #expect(numbers(1, stream: 2) != numbers(1, stream: 3))
        #expect(numbers(1, stream: 2) != numbers(2, stream: 2))
    }

    @Test func weightsDecideHowOftenAChoiceIsPicked() {
        var generator = SplitMix64(seed: 1)
        var counts: [String: Int] = [:]
        for _ in 0..<4000 {
            let choices = [(choice: "often", weight: 3), ("never", 0), ("sometimes", 1)]
            counts[generator.pick(weighted: choices), default: 0] += 1
        }
        #expect(counts["never"] == nil)
        #expect((2800...3200).contains(counts["often", default: 0]))
    }
}
