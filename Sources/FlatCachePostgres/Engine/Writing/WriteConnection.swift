#if canImport(CPostgres)
import FlatCache
import Foundation

/// A connection that writes, on its own thread.
actor WriteConnection {
    private let thread = ConnectionThread("FlatCachePostgres writer")
    private let configuration: PostgresConfiguration
    private var session: (session: Session, history: History)?

    init(_ configuration: PostgresConfiguration) { self.configuration = configuration }

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Commits a write whose reads belong to a history.
    ///
    /// If the connection is lost before the server's answer, the database is asked whether the
    /// write is committed.
    ///
    /// - Returns: The number of the transaction.
    /// - Throws: `.conflict` if rows have other versions than the write expects, `.unknownOutcome`
    ///   if the answer was lost and the server can't be asked in time, and the server's other
    ///   errors.
    func commit(
        _ plan: WritePlan,
        in history: History
    ) async throws(PostgresGraphError) -> UInt64 {
        var plan = plan
        var losses = 0
        while true {
            let isOpen = session != nil
            var current = try await connected()
            if current.history != history {
                // The history may have been renewed since the connection was opened.
                session = nil
                current = try await connected()
            }
            guard current.history == history else {
                throw PostgresGraphError(
                    .conflict,
                    "The database was restored or has failed over."
                )
            }
            var wasSent = false
            do throws(PostgresGraphError) {
                let results = try current.session.pipeline(
                    plan.steps(configuration.schema, incarnation: history.incarnation),
                    willSend: { wasSent = true }
                )
                switch WritePlan.outcome(of: results) {
                case .committed(let transaction): return transaction
                case .failed(let error):
                    rollBack(current.session)
                    throw error
                }
            } catch {
                if current.session.isBroken { session = nil }
                guard error.kind == .disconnected else { throw error }
                session = nil
                // The server may have closed a connection that was open before.
                if !wasSent, isOpen { continue }
                if !wasSent { throw error }
                if let transaction = try await transaction(of: plan, in: history, after: error) {
                    return transaction
                }
                // The statements themselves may be what ends the connections.
                losses += 1
                if losses == Self.maximumLosses { throw error }
                plan = plan.renewed
            }
        }
    }

    /// The number of attempts of a write whose answers may be lost.
    private static let maximumLosses = 3

    /// Returns the transaction of a write whose answer was lost, or `nil` if it isn't and can't be
    /// committed.
    private func transaction(
        of plan: WritePlan,
        in history: History,
        after loss: PostgresGraphError
    ) async throws(PostgresGraphError) -> UInt64? {
        let deadline = ContinuousClock.now + configuration.answerTimeout
        var pause: Duration = .milliseconds(50)
        while true {
            do throws(PostgresGraphError) {
                let current = try await connected()
                if current.history == history {
                    let step = plan.resolution(
                        configuration.schema,
                        incarnation: history.incarnation
                    )
                    let committed = try current.session.run(step.sql, step.parameters)
                    return UInt64(committed.text(0, 0))
                }
            } catch {
                // The attempt may hold its record for longer than this one waits for it.
                if error.kind == .disconnected { session = nil }
                if error.sqlState != SchemaError.otherHistory, ContinuousClock.now < deadline {
                    block(for: pause)
                    pause = min(pause * 2, .seconds(1))
                    continue
                }
            }
            throw PostgresGraphError(
                .unknownOutcome,
                "The connection was lost while the server committed: \(loss.reason)",
                underlyingError: loss
            )
        }
    }

    /// Blocks the connection's own thread, also in a cancelled task.
    private func block(for duration: Duration) {
        Thread.sleep(forTimeInterval: duration / .seconds(1))
    }

    /// Ends the transaction of a failed write.
    private func rollBack(_ session: Session) {
        do throws(PostgresGraphError) {
            try session.run("ROLLBACK")
        } catch {
            self.session = nil
        }
    }

    private func connected() async throws(PostgresGraphError) -> (
        session: Session, history: History
    ) {
        if let session, !session.session.isBroken { return session }
        session = nil
        // The app's closure must not fail because the task of a write that was sent is cancelled.
        let address = await Task { [configuration] () async -> Result<String, PostgresGraphError> in
            do throws(PostgresGraphError) {
                return .success(try await configuration.address())
            } catch {
                return .failure(error)
            }
        }.value
        let opened = try configuration.open(address.get())
        session = opened
        return opened
    }
}

/// The connections that write, each used by one write at a time.
final class WriteConnections: Sendable {
    private struct State {
        var idle: [WriteConnection]
        var waiting: [(number: Int, CheckedContinuation<WriteConnection?, Never>)] = []
        var lastNumber = 0
        /// The numbers of waits that were cancelled before they began.
        var cancelled: Set<Int> = []
    }

    private let state: Locked<State>

    init(_ configuration: PostgresConfiguration, count: Int) {
        let connections = (0..<count).map { _ in WriteConnection(configuration) }
        state = Locked(State(idle: connections))
    }

    /// Calls a closure with a connection, as soon as one is free.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    func withConnection<Result: Sendable>(
        _ body: (WriteConnection) async throws -> Result
    ) async throws -> Result {
        let connection = try await take()
        defer { giveBack(connection) }
        return try await body(connection)
    }

    private func take() async throws -> WriteConnection {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let connection = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isNow: WriteConnection?? = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return .some(nil) }
                    if let connection = state.idle.popLast() { return connection }
                    state.waiting.append((number, continuation))
                    return nil
                }
                if let isNow { continuation.resume(returning: isNow) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil as CheckedContinuation<WriteConnection?, Never>?
                }
                return state.waiting.remove(at: index).1
            }
            waiting?.resume(returning: nil)
        }
        state.withLock { _ = $0.cancelled.remove(number) }
        guard let connection else { throw CancellationError() }
        return connection
    }

    private func giveBack(_ connection: WriteConnection) {
        let next = state.withLock { state in
            if !state.waiting.isEmpty { return Optional(state.waiting.removeFirst().1) }
            state.idle.append(connection)
            return nil
        }
        next?.resume(returning: connection)
    }
}
#endif
