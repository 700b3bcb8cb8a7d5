import Foundation
import Testing

@testable import BenchmarkSupport

struct NodeRowsTests {
    // The rows share tables of one server.
    @Test(
        .serialized,
        .enabled("There is no PostgreSQL that can be started.") { NodeRowsTests.canMeasure },
        .timeLimit(.minutes(5)),
        arguments: Row.all.filter { $0.number == 34 }.map(\.name)
    )
    func rowHasAResult(name: String) async throws {
        let row = try #require(Row.all.first { $0.name == name })
        // A row waits for tasks, which need a thread of the pool that runs this test.
        let measured = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: row.measure(rounds: 1, scale: .quick)) }.start()
        }
        let result = try #require(measured)
        #expect(result.baseline.median > 0 && result.subject.median >= 0)
    }

    @Test func rowWhoseRequirementFailsIsNotMeasured() {
        let row = Row("1", "impossible", against: "nothing", requires: { throw Missing() }) { _ in
            Contest(baseline: { 1 }, subject: { 1 })
        }
        #expect(throws: Missing.self) { try row.checkRequirement() }
        #expect(throws: Never.self) { try Row.all.first?.checkRequirement() }
    }

    private static var canMeasure: Bool {
        Row.all.allSatisfy { (try? $0.checkRequirement()) != nil }
    }

    private struct Missing: Error {}
}
