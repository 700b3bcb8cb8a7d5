import FlatCache

/// The pending mutations of a queue, and the tasks that send them.
///
/// A plain value without locks or callbacks.
struct MutationState<Server: Sendable> {
    struct Record {
        var submitted: PendingMutation
        /// The mutation, or `nil` if it can't be decoded.
        var mutation: (any CacheMutation<Server>)?
        /// The scope, which isn't the stored one if another version of the program has stored it.
        fileprivate(set) var scope: String
        let layer: OpenLayer?
        /// The token that keeps the entity in memory.
        let pin: Disposable
        let resolve: @Sendable (Result<any Sendable, any Error>) -> Void
        /// The task that sends the mutation, from its creation to its end.
        var task: Task<Void, Never>?
        /// The pause before another attempt.
        var pause: Task<Void, Never>?
        /// `true` if a task sends the mutation, or will be created for it.
        fileprivate(set) var isActive = false
        /// `true` if another process has removed the mutation, and reports its end.
        var isEndedElsewhere = false

        var id: PendingMutation.ID { submitted.id }
        /// The attempt that runs or comes next.
        var attempt: MutationAttempt {
            MutationAttempt(key: submitted.key, number: submitted.failureCount + 1)
        }

        init(
            _ submitted: PendingMutation,
            _ mutation: (any CacheMutation<Server>)?,
            layer: OpenLayer?,
            pin: Disposable,
            resolve: @escaping @Sendable (Result<any Sendable, any Error>) -> Void
        ) {
            self.submitted = submitted
            self.mutation = mutation
            scope = mutation?.scope.name ?? submitted.scope
            self.layer = layer
            self.pin = pin
            self.resolve = resolve
        }

        func end(throwing error: any Error) {
            task?.cancel()
            pause?.cancel()
            resolve(.failure(error))
        }
    }

    private var records: [PendingMutation.ID: Record] = [:]
    /// The identifiers of the mutations of each scope, in the order of submission.
    private var scopes: [String: [PendingMutation.ID]] = [:]
    private var lastNumber = 0
    var isPaused = false
    /// `true` while the stored mutations aren't complete.
    var isRestoring = false
    private(set) var isClosed = false
    /// The temporary identifiers that were replaced, for mutations that are submitted later.
    private(set) var replacements: [(old: CacheKey, new: CacheKey)] = []

    subscript(id: PendingMutation.ID) -> Record? { records[id] }

    /// All records in the order of submission.
    var inOrder: [Record] { records.values.sorted { $0.id < $1.id } }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func insert(_ record: Record) {
        lastNumber = max(lastNumber, record.submitted.number)
        records[record.id] = record
        list(record)
    }

    private mutating func list(_ record: Record) {
        let scope = scopes[record.scope] ?? []
        let index = scope.firstIndex { $0 > record.id } ?? scope.endIndex
        scopes[record.scope, default: []].insert(record.id, at: index)
    }

    private mutating func unlist(_ record: Record) {
        scopes[record.scope]?.removeAll { $0 == record.id }
        if scopes[record.scope]?.isEmpty == true { scopes[record.scope] = nil }
    }

    mutating func take(_ id: PendingMutation.ID) -> Record? {
        guard let record = records.removeValue(forKey: id) else { return nil }
        unlist(record)
        return record
    }

    mutating func markEndedElsewhere(_ id: PendingMutation.ID) {
        records[id]?.isEndedElsewhere = true
    }

    mutating func close() -> [Record] {
        isClosed = true
        let all = inOrder
        (records, scopes) = ([:], [:])
        return all
    }

    mutating func remember(_ old: CacheKey, replacedBy new: CacheKey) {
        replacements.append((old, new))
        if replacements.count > 1_000 { replacements.removeFirst() }
    }

    /// Replaces a mutation, and moves it to the scope of its new form.
    mutating func change(_ submitted: PendingMutation, _ mutation: any CacheMutation<Server>) {
        guard var record = records[submitted.id] else { return }
        unlist(record)
        record.submitted = submitted
        record.mutation = mutation
        record.scope = mutation.scope.name
        records[submitted.id] = record
        list(record)
    }

    /// Resumes the queue; returns the pauses after failed attempts, for the caller to end.
    mutating func resume() -> [Task<Void, Never>] {
        isPaused = false
        return records.values.compactMap(\.pause)
    }

    mutating func setTask(_ task: Task<Void, Never>, of id: PendingMutation.ID) {
        records[id]?.task = task
    }

    /// Sets the pause of a mutation; returns whether the mutation is still pending.
    mutating func setPause(_ pause: Task<Void, Never>, of id: PendingMutation.ID) -> Bool {
        records[id]?.pause = pause
        return records[id] != nil
    }

    /// Records a stored form with another count of failures.
    mutating func recordFailure(_ submitted: PendingMutation) {
        if records[submitted.id]?.submitted.payload == submitted.payload {
            records[submitted.id]?.submitted = submitted
        }
    }

    /// Forgets the replacements of identifiers that a mutation uses for new entities.
    mutating func forgetReplacements(of keys: [CacheKey]) {
        if !replacements.isEmpty { replacements.removeAll { keys.contains($0.old) } }
    }

    /// Returns the mutations for which the caller must create tasks now: the first one of each
    /// scope, if it can be decoded.
    mutating func startable() -> [PendingMutation.ID] {
        if isPaused || isRestoring || isClosed { return [] }
        // A mutation that came later may be sent already: another process has submitted the first
        // one, or a replaced identifier has moved it to the scope.
        let ids = scopes.values.filter { ids in !ids.contains { records[$0]?.isActive ?? false } }
            .compactMap(\.first).filter { records[$0]?.mutation != nil }
        for id in ids { records[id]?.isActive = true }
        return ids.sorted()
    }

    /// Returns the mutation of an attempt that begins now, or `nil` if the task must end, because
    /// the mutation has ended or the queue is paused.
    mutating func beginAttempt(_ id: PendingMutation.ID) -> Record? {
        if isPaused {
            records[id]?.isActive = false
            return nil
        }
        records[id]?.pause = nil
        return records[id]
    }
}
