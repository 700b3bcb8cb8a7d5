@testable import FlatCache

/// An endpoint that answers the requests of a test when the test says so.
final class PageServer: Sendable {
    private typealias Answer = AsyncThrowingStream<ListPage<Book>, any Error>

    private struct State {
        var answers: [Answer.Continuation] = []
        var cursors: [String?] = []
        var cancelledRequests = 0
    }

    private let state = Locked(State())

    /// The cursors of the requests, in their order.
    var cursors: [String?] { state.withLock { $0.cursors } }

    /// The number of requests that ended because their task was cancelled.
    var cancelledRequests: Int { state.withLock { $0.cancelledRequests } }

    func request(_ cursor: String?) async throws -> ListPage<Book> {
        let (answers, continuation) = Answer.makeStream()
        state.withLock {
            $0.cursors.append(cursor)
            $0.answers.append(continuation)
        }
        // The stream of a cancelled task ends.
        for try await page in answers { return page }
        state.withLock { $0.cancelledRequests += 1 }
        throw CancellationError()
    }

    /// Answers a request with references to books.
    func answer(_ request: Int, _ ids: [Int], next: String?) {
        answer(request, ListPage(ids.map { Related($0) }, next: next))
    }

    func answer(_ request: Int, _ page: ListPage<Book>) {
        state.withLock { $0.answers[request] }.yield(page)
    }

    /// Lets a request fail.
    func fail(_ request: Int, _ error: any Error) {
        state.withLock { $0.answers[request] }.finish(throwing: error)
    }
}
