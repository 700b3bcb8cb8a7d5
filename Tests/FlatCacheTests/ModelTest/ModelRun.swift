/// Performs operations of the model test on a subject, and notes all that they show.
final class ModelRun<Subject: ModelSubject>: @unchecked Sendable {
    // One thread uses it, callbacks included.

    private let subject: Subject
    private var tokens: [Int: any ModelToken] = [:]
    private var observationCount = 0
    private var batchCount = 0
    private var events: [ModelEvent] = []
    /// What the operation must show, if that is known.
    private var expected: [ModelEvent]?
    /// How many events were as expected when the first one was not.
    private var firstUnexpected: Int?

    init(_ subject: Subject) {
        self.subject = subject
    }

    /// Performs an operation, or if there is none, ends all observations, and returns what this has
    /// shown.
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

    /// Performs an operation, or if there is none, ends all observations, and compares what this
    /// shows with what it must show.
    ///
    /// - Returns: The first event that is not as expected.
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

    /// Performs operations where no transaction is open, so that nothing is thrown past them.
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
        case .set(let record, let door):
            note(.returned([subject.set(record, through: door)]))
        case .setAll(let kind, let records, let door):
            note(.returned(subject.set(contentsOf: records, of: kind, through: door)))
        case .replace(let record, let door):
            note(.returned([subject.replace(record, through: door)]))
        case .update(let update):
            try catching(update.outcome) { try perform(update) }
        case .remove(let key, let door):
            note(.returned([subject.remove(key, through: door)]))
        case .removeKind(let kind, let door):
            note(.returnedCount(subject.removeAll(kind, through: door)))
        case .removeAll(let door):
            note(.returnedCount(subject.removeAll(through: door)))
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
        let stored = try subject.update(update.key, through: update.door) { record in
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

    /// Notes what the subject shows now.
    private func look() {
        if !subject.isInTransaction {
            note(.overview(version: subject.version, watchedCount: subject.watchedCount))
            // They trap, which says less than a difference.
            if firstUnexpected == nil { subject.checkInvariants() }
        }
        note(.state(subject.listings(), handles: subject.handleValues()))
        if let listings = subject.batchListings() { note(.batchState(listings)) }
        for (version, listings) in subject.snapshotStates() {
            note(.snapshotState(version: version, listings))
        }
    }
}

/// What an observer still has to do from its callback, so that it ends some time.
private final class ModelReactions: @unchecked Sendable {
    // One thread uses it.
    private var remaining: ArraySlice<ModelOperation>

    init(_ operations: [ModelOperation]) {
        remaining = operations[...]
    }

    func next() -> ModelOperation? { remaining.popFirst() }
}
