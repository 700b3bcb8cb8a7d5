#if os(Linux)
import Dispatch
import FlatCache
import Testing

@testable import FlatCacheDispatch

/// Tests that invalid arguments trap at the call with a message that describes the mistake.
struct CacheMemoryPressureTrapsTests {
    private static func trim(
        warning: TrimTarget = .fraction(0.5),
        critical: TrimTarget = .fraction(0),
        thresholds: MemoryPressureThresholds = MemoryPressureThresholds()
    ) throws {
        let measure = MemoryStalls.Measure(recent: 0, total: 0)
        _ = try Cache().trimOnMemoryPressure(
            warning: warning,
            critical: critical,
            thresholds: thresholds,
            measure: { MemoryStalls(some: measure, full: measure) },
            makeSource: { Trigger().source }
        )
    }

    /// Returns a Boolean value that indicates whether the message of a trapped process contains a
    /// text.
    ///
    /// The result is always `true` in optimized builds, which print no message.
    private func says(_ result: ExitTest.Result?, _ part: String) -> Bool {
        #if DEBUG
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains(part)
        #else
        true
        #endif
    }

    @Test func targetsThatAreNone() async {
        let warning = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { try Self.trim(warning: .fraction(1.5)) }
        #expect(says(warning, "A cache cannot be trimmed to 1.5 of itself"))

        let critical = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { try Self.trim(critical: .count(-1)) }
        #expect(says(critical, "A cache cannot be trimmed to -1 values"))
    }

    @Test func thresholdsThatAreNone() async {
        let zero = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { try Self.trim(thresholds: MemoryPressureThresholds(warning: 0)) }
        #expect(says(zero, "Memory pressure has no threshold of 0.0 percent"))

        let tooMuch = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { try Self.trim(thresholds: MemoryPressureThresholds(critical: 100.5)) }
        #expect(says(tooMuch, "Memory pressure has no threshold of 100.5 percent"))

        let noNumber = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { try Self.trim(thresholds: MemoryPressureThresholds(warning: .nan)) }
        #expect(says(noNumber, "Memory pressure has no threshold of nan percent"))
    }

    @Test func intervalOfZero() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { _ = try Cache().trimOnMemoryPressure(every: .zero) }
        #expect(says(result, "Memory pressure cannot be checked every 0.0 seconds"))
    }
}
#endif
