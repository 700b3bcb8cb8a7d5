#if os(Linux)
import Testing

@testable import FlatCacheDispatch

struct MemoryStallHistoryTests {
    private let thresholds = MemoryPressureThresholds(warning: 10, critical: 20)

    /// Returns the new level after each of several readings, with two averages and two totals each.
    private func news(
        _ looks: [(some: Double, someTotal: UInt64, full: Double, fullTotal: UInt64)]
    ) -> [MemoryPressureLevel?] {
        var history = MemoryStallHistory()
        return looks.map { look in
            let stalls = MemoryStalls(
                some: MemoryStalls.Measure(recent: look.some, total: look.someTotal),
                full: MemoryStalls.Measure(recent: look.full, total: look.fullTotal)
            )
            return history.newLevel(after: stalls, thresholds)
        }
    }

    @Test func levelIsNewWhenItIsEntered() {
        #expect(news([(0, 5, 0, 5), (15, 6, 0, 5), (30, 7, 25, 6)]) == [nil, .warning, .critical])
        #expect(news([(15, 0, 0, 0)]) == [.warning])
        #expect(news([(30, 0, 30, 0)]) == [.critical])
    }

    @Test func levelThatLastsIsNewIfTasksHaveStoodStillSince() {
        #expect(
            news([(30, 1, 0, 1), (30, 2, 0, 1), (25, 2, 0, 1), (25, 3, 0, 1)])
                == [.warning, .warning, nil, .warning]
        )
        #expect(
            news([(60, 1, 30, 1), (60, 2, 30, 2), (60, 3, 25, 2), (60, 4, 25, 3)])
                == [.critical, .critical, nil, .critical]
        )
    }

    @Test func fallingAverageEntersNoLevel() {
        #expect(
            news([(60, 9, 40, 9), (50, 9, 30, 9), (40, 9, 15, 9), (5, 9, 1, 9)])
                == [.critical, nil, nil, nil]
        )
        #expect(news([(60, 9, 40, 9), (40, 10, 15, 9)]) == [.critical, .warning])
    }

    @Test func levelCanBeEnteredAgain() {
        #expect(
            news([(15, 1, 0, 0), (5, 1, 0, 0), (15, 1, 0, 0)]) == [.warning, nil, .warning]
        )
        #expect(
            news([(30, 1, 25, 1), (30, 1, 5, 1), (30, 1, 25, 1)]) == [.critical, nil, .critical]
        )
    }

    @Test func restartedClockEntersALevel() {
        #expect(news([(15, 900, 0, 0), (15, 3, 0, 0)]) == [.warning, .warning])
    }
}
#endif
