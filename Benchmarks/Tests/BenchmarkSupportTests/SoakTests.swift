import Testing

@testable import BenchmarkSupport

struct SoakTests {
    @Test func soakReportsTenTimesAndStaysWithinItsLimits() {
        var soak = Soak(operations: 20_000, ids: 5_000, room: 100)
        var marks: [Soak.Mark] = []
        soak.run { marks.append($0) }
        #expect(marks.map(\.operations) == Array(stride(from: 2_000, through: 20_000, by: 2_000)))
        for mark in marks {
            #expect(mark.values > 50 && mark.values <= 100 + mark.observations)
        }
        #expect(marks.map(\.observations) == Array(stride(from: 4, through: 40, by: 4)))
        #expect(zip(marks, marks.dropFirst()).allSatisfy { $0.misses < $1.misses })
        #expect(marks.last.map { $0.calls > 0 } == true)
    }

    @Test func observationsStayBounded() {
        var soak = Soak(operations: 110_000, ids: 1_000, room: 100)
        var observations: [Int] = []
        soak.run { observations.append($0.observations) }
        #expect(observations.last == 200)
    }
}
