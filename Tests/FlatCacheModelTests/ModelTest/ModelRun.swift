@testable import FlatCacheTestSupport

/// A run of the model test's operations on a subject, and the record of their events.
final class ModelRun<Subject: ModelSubject>: @unchecked Sendable {
    // Only one thread uses an instance and calls its observers.

    private let subject: Subject
    private var tokens: [Int: any ModelToken] = [:]
    private var observationCount = 0
    private var batchCount = 0
    private var events: [ModelEvent] = []
    /// The expected events of the current operation, if known.
    private var expected: [ModelEvent]?
    /// The index of the first event that differs from the expected ones.
    private var firstUnexpected: Int?

    init(_ subject: Subject) {
        self.subject = subject
    }

    /// Performs an operation, or ends all observations if it is `nil`, and returns the events.
    func events(of operation: ModelOperation?) -> [ModelEvent] {
        defer { events = [] }
        if let operation {
            perform(operation)
        } else {
            endObservations()
            look()
        }
        return events
    }

    func endObservations() { tokens = [:] }

    /// Performs an operation, or ends all observations if it is `nil`, and compares the events with
    /// the expected ones.
    ///
    /// - Returns: The first difference, or `nil` if there is none.
    func unexpectedEvent(
        of operation: ModelOperation?,
        expecting expected: [ModelEvent]
    ) -> (expected: ModelEvent?, actual: ModelEvent?)? {
        self.expected = expected
        defer { self.expected = nil }
        let actual = events(of: operation)
        let isTooShort = actual.count < expected.count
        guard let index = firstUnexpected ?? (isTooShort ? actual.count : nil) else { return nil }
        return (
            index < expected.count ? expected[index] : nil,
            index < actual.count ? actual[index] : nil
        )
    }

    private func note(_ event: ModelEvent) {
        events.append(event)
        guard let expected, firstUnexpected == nil else { return }
        let index = events.count - 1
        if index >= expected.count || expected[index] != event { firstUnexpected = index }
    }

    /// Performs an operation outside transactions and catches its errors.
    private func perform(_ operation: ModelOperation) {
        do {
            try performInside(operation)
        } catch {
            note(.threw)
        }
        look()
    }

    private func performInside(_ operations: [ModelOperation]) throws {
        for operation in operations {
            try performInside(operation)
            look()
        }
    }

    private func performInside(_ operation: ModelOperation) throws {
        switch operation {
        case .set(let record, let access):
            note(.returned([subject.set(record, through: access)]))
        case .setAll(let kind, let records, let access):
            note(.returned(subject.set(contentsOf: records, of: kind, through: access)))
        case .replace(let record, let access):
            note(.returned([subject.replace(record, through: access)]))
        case .update(let update):
            try catching(update.outcome) { try perform(update) }
        case .remove(let key, let access):
            note(.returned([subject.remove(key, through: access)]))
        case .removeKind(let kind, let access):
            note(.returnedCount(subject.removeAll(kind, through: access)))
        case .removeAll(let access):
            note(.returnedCount(subject.removeAll(through: access)))
        case .prune:
            note(.returnedCount(subject.prune()))
        case .batch(let batch):
            try catching(batch.outcome) { try perform(batch) }
        case .observe(let slot, let observation):
            let token = observe(observation)
            tokens.updateValue(token, forKey: slot)?.dispose()
        case .dispose(let slot, let byDropping):
            let token = tokens.removeValue(forKey: slot)
            if !byDropping { token?.dispose() }
        case .snapshot(let inside):
            try subject.withSnapshot { try performInside(inside) }
        case .dropHandles:
            subject.dropHandles()
        }
    }

    private func perform(_ update: ModelUpdate) throws {
        let stored = try subject.update(update.key, through: update.access) { record in
            note(.updating(record))
            try performInside(update.inside)
            record.label = update.label
            record.links = update.links
            if update.outcome != .returns { throw ModelError() }
        }
        note(.returned([stored]))
    }

    private func perform(_ batch: ModelBatch) throws {
        batchCount += 1
        let number = batchCount
        let completion = { @Sendable in self.note(.completed(batch: number)) }
        try subject.performBatch(completion: batch.hasCompletion ? completion : nil) {
            try performInside(batch.inside)
            if batch.outcome != .returns { throw ModelError() }
        }
    }

    private func catching(_ outcome: ModelOutcome, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch  where outcome == .throwsCaught {
            note(.threw)
        }
    }

    private func observe(_ observation: ModelObservation) -> any ModelToken {
        observationCount += 1
        let number = observationCount
        let reactions = ModelReactions(observation.reactions)
        return subject.observe(observation) { notice in
            self.note(.notified(observation: number, notice))
            if let reaction = reactions.next() { self.perform(reaction) }
        }
    }

    /// Records the current contents of the subject.
    private func look() {
        if !subject.isInTransaction {
            note(.overview(version: subject.version, watchedCount: subject.watchedCount))
            // A violated invariant traps, and its message says less than a difference.
            if firstUnexpected == nil { subject.checkInvariants() }
        }
        note(.state(subject.listings(), handles: subject.handleValues()))
        if let listings = subject.batchListings() { note(.batchState(listings)) }
        for (version, listings) in subject.snapshotStates() {
            note(.snapshotState(version: version, listings))
        }
    }
}

/// The remaining operations of an observer.
///
/// Their number is limited so that each run ends.
private final class ModelReactions: @unchecked Sendable {
    // Only one thread uses an instance.
    private var remaining: ArraySlice<ModelOperation>

    init(_ operations: [ModelOperation]) {
        remaining = operations[...]
    }

    func next() -> ModelOperation? { remaining.popFirst() }
}
