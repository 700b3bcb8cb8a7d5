#if os(Linux)
import Testing

@testable import FlatCacheDispatch

struct MemoryStallsTests {
    private static let full = "full avg10=0.50 avg60=0.00 avg300=0.00 total=30\n"

    @Test func kernelFormatIsParsed() throws {
        let stalls = try #require(
            MemoryStalls(
                """
                some avg10=12.34 avg60=5.60 avg300=1.07 total=1234567890123
                full avg10=3.00 avg60=1.00 avg300=0.20 total=987654321

                """
            )
        )
        #expect(stalls.some == MemoryStalls.Measure(recent: 12.34, total: 1_234_567_890_123))
        #expect(stalls.full == MemoryStalls.Measure(recent: 3, total: 987_654_321))
    }

    @Test func orderIsIrrelevantAndUnknownFieldsAreSkipped() throws {
        let stalls = try #require(
            MemoryStalls("half a=b\n\(Self.full)most\nsome total=7 avg5=what avg10=1.5 avg60=")
        )
        #expect(stalls.some == MemoryStalls.Measure(recent: 1.5, total: 7))
        #expect(stalls.full == MemoryStalls.Measure(recent: 0.5, total: 30))
    }

    @Test func hugeNumbersAreNumbersAsLongAsTheyFit() throws {
        let some = "some avg10=123456789012345678901234567890.0 total=18446744073709551615\n"
        let stalls = try #require(MemoryStalls(some + Self.full))
        #expect(stalls.some.recent > 1e29)
        #expect(stalls.some.total == .max)
    }

    @Test(arguments: [
        "", "\n", "some", "some\n", "some avg10=1.00", "some total=1", "some avg10 total=1",
        "some avg10= total=1", "some avg10=x total=1", "some avg10=-1.00 total=1",
        "some avg10=nan total=1", "some avg10=inf total=1", "some avg10=1e999 total=1",
        "some avg10=1,00 total=1", "some avg10==1.00 total=1", "some avg10=1.00 total=-1",
        "some avg10=1.00 total=1.5", "some avg10=1.00 total=18446744073709551616",
        "some avg10=1.00 total=1 junk", "someavg10=1.00 total=1", "Some avg10=1.00 total=1",
        "\0\u{FFFD}", "some avg10=1.00\ntotal=1", "=", "some = =",
    ])
    func incompleteTextIsRejected(some: String) {
        #expect(MemoryStalls(some + "\n" + Self.full) == nil)
    }

    @Test func bothLinesAreNeeded() {
        #expect(MemoryStalls("some avg10=1.00 total=1\n") == nil)
        #expect(MemoryStalls("some avg10=1.00 total=1\nfull avg10=1.00\n") == nil)
        #expect(MemoryStalls("some avg10=1.00 total=1\nfull avg10=1.00 total=1") != nil)
    }

    @Test(
        arguments: [
            (0, 0, nil), (9.99, 0, nil), (10, 0, .warning), (100, 19.99, .warning),
            (10, 20, .critical),
            (100, 100, .critical), (0, 20, .critical),
        ] as [(Double, Double, MemoryPressureLevel?)]
    )
    func thresholdIsReachedAtItsPercentage(
        some: Double,
        full: Double,
        level: MemoryPressureLevel?
    ) {
        let stalls = MemoryStalls(
            some: MemoryStalls.Measure(recent: some, total: 0),
            full: MemoryStalls.Measure(recent: full, total: 0)
        )
        #expect(stalls.level(MemoryPressureThresholds(warning: 10, critical: 20)) == level)
        #expect(stalls.level(MemoryPressureThresholds()) == level)
    }

    @Test func eachLevelHasItsMeasure() {
        let some = MemoryStalls.Measure(recent: 1, total: 2)
        let full = MemoryStalls.Measure(recent: 3, total: 4)
        let stalls = MemoryStalls(some: some, full: full)
        #expect(stalls.measure(for: .warning) == some)
        #expect(stalls.measure(for: .critical) == full)
    }
}
#endif
