#if canImport(CPostgres)
import FlatCache
import Testing

@testable import FlatCachePostgres

@Suite struct ImportRequestsTests {
    private let requests = ImportRequests()

    private func result() throws -> ReplicationEngine.Import {
        ReplicationEngine.Import(
            position: ReplicationEngine.Position(
                cursor: try #require(TransactionSnapshot("10:20:")),
                history: History(incarnation: "a", system: "b", timeline: "c"),
                serverTime: "",
                time: .now,
                flushed: "0/0"
            )
        )
    }

    @Test("One import answers all requests that came before it")
    func together() async throws {
        let scheduled = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask {
                    let request = ImportRequest(keys: ["book": ["\(number)"]])
                    let time: Duration? = number == 0 ? nil : .seconds(600)
                    _ = try await requests.answer(request, within: time) {
                        scheduled.withLock { $0 += 1 }
                    }
                }
            }
            var taken: (numbers: [Int], requests: [ImportRequest]) = ([], [])
            while taken.numbers.count < 5 {
                let more = requests.take()
                taken.numbers += more.numbers
                taken.requests += more.requests
                await Task.yield()
            }
            let keys = taken.requests.flatMap { $0.keys["book"] ?? [] }
            #expect(keys.sorted() == ["0", "1", "2", "3", "4"])
            requests.answer(taken.numbers, with: .success(try result()))
            try await group.waitForAll()
        }
        #expect((1...5).contains(scheduled.withLock(\.self)))
    }

    @Test("A caller whose time is over leaves its request behind", arguments: [0, 1])
    func timeout(_ milliseconds: Int) async throws {
        // A later deadline must not delay the timer.
        let other = Task {
            try await requests.answer(ImportRequest(), within: .seconds(600)) {}
        }
        while requests.take().numbers.isEmpty { await Task.yield() }
        await #expect {
            let time = Duration.milliseconds(milliseconds)
            _ = try await requests.answer(ImportRequest(notifies: true), within: time) {}
        } throws: {
            ($0 as? PostgresGraphError)?.kind == .timeout
        }
        let (numbers, left) = requests.take()
        #expect(left.map(\.notifies) == [true])
        requests.answer(numbers, with: .success(try result()))
        other.cancel()
        await #expect(throws: PostgresGraphError.self) { try await other.value }
    }

    @Test("A caller may wait for the longest time")
    func longestTime() async throws {
        let task = Task {
            try await requests.answer(ImportRequest(), within: .seconds(Int64.max)) {}
        }
        var numbers: [Int] = []
        while numbers.isEmpty {
            numbers = requests.take().numbers
            await Task.yield()
        }
        requests.answer(numbers, with: .success(try result()))
        _ = try await task.value
    }

    @Test("A cancelled caller stops waiting, unless it waits in any case")
    func cancellation() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await requests.answer(ImportRequest(), within: .seconds(600)) {}
        }
        await #expect(throws: PostgresGraphError.self) { try await task.value }
        let patient = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await requests.answer(ImportRequest(), within: nil) {}
        }
        var numbers: [Int] = []
        while numbers.count < 2 {
            numbers += requests.take().numbers
            await Task.yield()
        }
        requests.answer(numbers, with: .success(try result()))
        _ = try await patient.value
    }
}
#endif
