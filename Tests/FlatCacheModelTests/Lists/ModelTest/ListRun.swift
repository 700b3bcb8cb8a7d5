@testable import FlatCache
@testable import FlatCacheTestSupport

/// A comparison that performs the same operations on lists of a cache and on their naive model.
struct ListRun: ModelComparison {
    private struct Refusal: Error {}

    /// The depth at which each list is observed, or `nil` for a list without observers.
    static let reaches: [RelationshipDepth?] = [
        .allRelationships, RelationshipDepth.none, .levels(1), nil,
    ]

    /// A list of the cache and the calls of its observers.
    private struct Subject {
        let list: CachedList<Book>
        let elements = Recorder<[Book]>()
        let changes = Recorder<ListChange<Book>>()
        /// The order after applying all received differences.
        var order: [Book.ID] = []
        var observations: [Disposable] = []
    }

    private let cache = Cache(configuration: .smallSegments)
    private var subjects: [Subject] = []
    private var model: NaiveLists

    init() {
        var observed: [Int: Int] = [:]
        for (number, following) in Self.reaches.enumerated() {
            var subject = Subject(list: cache.list("list \(number)", of: Book.self))
            if let following {
                observed[number] = following.levelLimit
                let (elements, changes) = (subject.elements, subject.changes)
                subject.observations = [
                    subject.list.following(following).observe { elements.append($0) },
                    subject.list.following(following).observeChanges { changes.append($0) },
                ]
            }
            subjects.append(subject)
        }
        model = NaiveLists(observed: observed)
    }

    /// Performs an operation, and returns a description of the first difference from the model, or
    /// `nil`.
    mutating func difference(after operation: ListOperation) -> String? {
        let before = model
        let version = cache.version
        for subject in subjects {
            subject.elements.removeAll()
            subject.changes.removeAll()
        }
        model.perform(operation)
        do {
            try perform(operation)
        } catch {
            // The error makes a batch or an update roll back.
        }
        cache.core.checkInvariants()
        let hasChanged = model.orders != before.orders || model.values != before.values
        guard cache.version == version + (hasChanged ? 1 : 0) else {
            return "\(cache.version - version) commits, expected a change: \(hasChanged)"
        }
        let values = cache.values(of: Book.self)
        guard Dictionary(uniqueKeysWithValues: values.map { ($0.id, $0) }) == model.values else {
            return "values: \(values), expected: \(model.values)"
        }
        for number in subjects.indices {
            if let difference = differenceOfList(number, since: before) {
                return "list \(number): \(difference)"
            }
        }
        return nil
    }

    private mutating func differenceOfList(_ number: Int, since before: NaiveLists) -> String? {
        let subject = subjects[number]
        let ids = model.ids(number)
        let elements = model.elements(number)
        guard subject.list.ids == ids else { return "\(subject.list.ids), expected: \(ids)" }
        guard subject.list.elements == elements else {
            return "elements \(subject.list.elements), expected: \(elements)"
        }
        let changed = model.changedValues(since: before)
        let reach = model.observed[number].map { model.reach(number, levels: $0) } ?? []
        let causes = reach.intersection(changed)
        let isExpected =
            model.observed[number] != nil
            && (!causes.isEmpty || model.orders[number] != before.orders[number])
        guard subject.elements.all == (isExpected ? [elements] : []) else {
            return "received \(subject.elements.all), expected a call: \(isExpected)"
        }
        guard subject.changes.count == (isExpected ? 1 : 0) else {
            return "received \(subject.changes.all), expected a call: \(isExpected)"
        }
        guard let change = subject.changes.all.first else { return nil }
        guard change.ids == ids, change.oldIDs == subject.order else {
            return "received \(change), expected: from \(subject.order) to \(ids)"
        }
        guard change.causes == Set(causes.map { CacheKey(Book.self, id: $0) }),
            change.changedIDs == causes.intersection(ids), change.version == cache.version
        else { return "received \(change), expected causes: \(causes)" }
        subjects[number].order = subject.order.applying(change.difference) ?? []
        guard subjects[number].order == ids, change.hasNewOrder == (subject.order != ids) else {
            return "received \(change), whose difference leads to \(subjects[number].order)"
        }
        return nil
    }

    private func perform(_ operation: ListOperation) throws(Refusal) {
        switch operation {
        case .replace(let list, let books): subjects[list].list.replace(with: books)
        case .append(let list, let books): subjects[list].list.append(contentsOf: books)
        case .insert(let list, let book, let index): subjects[list].list.insert(book, at: index)
        case .remove(let list, let id): subjects[list].list.remove(id)
        case .move(let list, let id, let index): subjects[list].list.move(id, to: index)
        case .removeAll(let list): subjects[list].list.removeAll()
        case .setIDs(let list, let ids): subjects[list].list.ids = ids
        case .reverse(let list): subjects[list].list.update { $0.reverse() }
        case .setValue(let book): cache.set(book)
        case .removeValue(let id): cache.remove(Book.self, id: id)
        case .removeEverything: cache.removeAll()
        case .prune: cache.pruneUnobservedValues()
        case .batch(let operations, let isThrowing):
            try cache.performBatchUpdates { _ throws(Refusal) in
                performInside(operations)
                if isThrowing { throw Refusal() }
            }
        case .update(let list, let operations, let ids, let isThrowing):
            try subjects[list].list.update { written throws(Refusal) in
                performInside(operations)
                written = ids
                if isThrowing { throw Refusal() }
            }
        }
    }

    /// Performs operations inside a transaction, which continues if one of them throws.
    private func performInside(_ operations: [ListOperation]) {
        for operation in operations { try? perform(operation) }
    }
}
