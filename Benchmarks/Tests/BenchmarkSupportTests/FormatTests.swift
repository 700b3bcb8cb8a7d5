import Testing

@testable import BenchmarkSupport

struct FormatTests {
    @Test(arguments: [
        (0, "0.00"), (0.00000097, "9.7e-07"), (0.0462, "0.0462"), (0.5, "0.50"), (1.234, "1.23"),
        (9.996, "10.0"), (12.34, "12.3"), (1234, "1234"),
    ])
    func numbersKeepTheDigitsThatCount(number: Double, text: String) {
        #expect(Format.number(number) == text)
    }

    @Test(arguments: [
        (59.1, "59.1 ns"), (999.9, "1.00 µs"), (1_500, "1.50 µs"), (2e7, "20.0 ms"),
        (7e11, "700 s"),
    ])
    func timesGetTheUnitThatFits(nanoseconds: Double, text: String) {
        #expect(Format.measurement(nanoseconds, .nanoseconds) == text)
    }

    @Test func bytesStayBytesAndSharesShares() {
        #expect(Format.measurement(20_000, .bytes) == "20000 B")
        #expect(Format.measurement(39.25, .percent) == "39.2 %")
    }
}
