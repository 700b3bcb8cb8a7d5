import FlatCache

/// The submitted mutations of a queue, and the tasks that send them.
///
/// A plain value without locks or callbacks.
struct MutationState<Server: Sendable> {
    struct Record {
        var submitted: SubmittedMutation
        /// The mutation, or `nil` if it can't be decoded.
        var mutation: (any CacheMutation<Server>)?
        let layer: OpenLayer?
        /// The token that keeps the entity in memory.
        let pin: Disposable
        let resolve: @Sendable (Result<any Sendable, any Error>) -> Void
        var attemptCount = 0
        /// The task that sends the mutation, from its creation to its end.
        var task: Task<Void, Never>?
        /// The pause before another attempt.
        var pause: Task<Void, Never>?
        /// `true` if a task sends the mutation, or will be created for it.
        fileprivate(set) var isActive = false
        /// `true` if another process has removed the mutation, and reports its end.
        var isEndedElsewhere = false

        var id: SubmittedMutation.ID { submitted.id }

        func end(throwing error: any Error) {
            task?.cancel()
            pause?.cancel()
            resolve(.failure(error))
        }
    }

    private var records: [SubmittedMutation.ID: Record] = [:]
    /// The identifiers of the mutations of each scope, in the order of submission.
    private var scopes: [String: [SubmittedMutation.ID]] = [:]
    private var lastNumber = 0
    var isPaused = false
    /// `true` while the stored mutations aren't complete.
    var isRestoring = false

    subscript(id: SubmittedMutation.ID) -> Record? { records[id] }

    /// All records in the order of submission.
    var inOrder: [Record] { records.values.sorted { $0.id < $1.id } }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func insert(_ record: Record) {
        lastNumber = max(lastNumber, record.submitted.number)
        records[record.id] = record
        list(record.submitted)
    }

    private mutating func list(_ submitted: SubmittedMutation) {
        let scope = scopes[submitted.scope] ?? []
        let index = scope.firstIndex { $0 > submitted.id } ?? scope.endIndex
        scopes[submitted.scope, default: []].insert(submitted.id, at: index)
    }

    private mutating func unlist(_ submitted: SubmittedMutation) {
        scopes[submitted.scope]?.removeAll { $0 == submitted.id }
        if scopes[submitted.scope]?.isEmpty == true { scopes[submitted.scope] = nil }
    }

    mutating func take(_ id: SubmittedMutation.ID) -> Record? {
        guard let record = records.removeValue(forKey: id) else { return nil }
        unlist(record.submitted)
        return record
    }

    mutating func endElsewhere(_ id: SubmittedMutation.ID) { records[id]?.isEndedElsewhere = true }

    mutating func takeAll() -> [Record] {
        let all = inOrder
        (records, scopes) = ([:], [:])
        return all
    }

    /// Replaces a mutation, and moves it to the scope of its new stored form.
    mutating func change(_ submitted: SubmittedMutation, _ mutation: (any CacheMutation<Server>)?) {
        guard let record = records[submitted.id] else { return }
        unlist(record.submitted)
        records[submitted.id]?.submitted = submitted
        records[submitted.id]?.mutation = mutation
        list(submitted)
    }

    /// Resumes the queue; returns the pauses after failed attempts, for the caller to end.
    mutating func resume() -> [Task<Void, Never>] {
        isPaused = false
        return records.values.compactMap(\.pause)
    }

    mutating func setTask(_ task: Task<Void, Never>, of id: SubmittedMutation.ID) {
        records[id]?.task = task
    }

    mutating func setPause(_ pause: Task<Void, Never>, of id: SubmittedMutation.ID) {
        records[id]?.pause = pause
    }

    /// Returns the mutations for which the caller must create tasks now: the first one of each
    /// scope, if it can be decoded.
    mutating func startable() -> [SubmittedMutation.ID] {
        if isPaused || isRestoring { return [] }
        let ids = scopes.values.compactMap(\.first).filter { id in
            records[id].map { !$0.isActive && $0.mutation != nil } ?? false
        }
        for id in ids { records[id]?.isActive = true }
        return ids.sorted()
    }

    /// Counts an attempt that begins now, or returns `nil` if the task must end, because the
    /// mutation has ended or the queue is paused.
    mutating func beginAttempt(_ id: SubmittedMutation.ID) -> Record? {
        if isPaused {
            records[id]?.isActive = false
            return nil
        }
        records[id]?.attemptCount += 1
        records[id]?.pause = nil
        return records[id]
    }
}
