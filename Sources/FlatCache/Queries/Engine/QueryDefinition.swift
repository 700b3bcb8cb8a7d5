/// The rows that a result contains for a value, and their meaning.
@usableFromInline
struct QueryDefinition<Element: Identifiable & Sendable, Payload: QueryPayload>: Sendable
where Element.ID: Sendable {
    @usableFromInline typealias Row = QueryRow<Element.ID, Payload>

    /// A closure that appends the rows of a value in their order, and calls user code.
    @usableFromInline let appendRows: @Sendable (Element, QueryReader, inout [Row]) -> Void
    /// A closure that returns whether a row that remains has changed.
    @usableFromInline
    let isUpdated: @Sendable (_ old: Payload, _ new: Payload, _ isValueChanged: Bool) -> Bool
    /// `true` if rows may depend on other entities.
    let usesReader: Bool
    let window: QueryWindow
    let indexConditions: [any AnyIndexCondition<Element>]
    let readIndexes: [any AnyReadIndex]
    let pinsElements: Bool
    let combining: Payload.Combining
    let steps: QuerySteps<Element, Payload>

    /// Returns a result that consists of rows in any order.
    func rows(_ rows: [Row] = []) -> QueryRows<Element.ID, Payload> {
        QueryRows(unordered: rows, combining: combining)
    }

    /// Adds the difference between the rows of a value before and after a commit.
    ///
    /// - Parameters:
    ///   - isValueChanged: `true` if the commit has changed the value, and not only entities that
    ///     its rows read.
    @inlinable @inline(never)
    func compareRows(
        of oldValue: Element?,
        _ newValue: Element?,
        isValueChanged: Bool,
        _ reading: QueryReaders,
        _ changes: inout QueryRowChanges<Element.ID, Payload>,
        _ scratch: inout QueryScratch<Element.ID, Payload>
    ) {
        guard let oldValue else {
            if let newValue { appendRows(newValue, reading.new, &changes.inserted) }
            return
        }
        guard let newValue else { return appendRows(oldValue, reading.old, &changes.removed) }
        scratch.old.removeAll(keepingCapacity: true)
        scratch.new.removeAll(keepingCapacity: true)
        appendRows(oldValue, reading.old, &scratch.old)
        appendRows(newValue, reading.new, &scratch.new)
        // Both lists are in order.
        var (old, new) = (scratch.old[...], scratch.new[...])
        while let row = new.popFirst() {
            while let former = old.first, Row.areInOrder(former, row) {
                changes.removed.append(former)
                old.removeFirst()
            }
            let isSame = old.first.map { Row.compare($0, row) == 0 } ?? false
            // A row at a new place is compared with one of those before the commit.
            let former = isSame ? old.removeFirst() : scratch.old.first
            let hasChanged =
                former.map { isUpdated($0.payload, row.payload, isValueChanged) } ?? false
            if hasChanged { changes.updated.append(row) }
            if let former, isSame {
                if Payload.self == NoPayload.self || !hasChanged { continue }
                changes.removed.append(former)
            }
            changes.inserted.append(row)
        }
        changes.removed += old
    }
}

/// The rows of one value before and after a commit, kept to reuse their memory.
@usableFromInline
struct QueryScratch<ID: Hashable & Sendable, Payload: QueryPayload> {
    @usableFromInline var old: [QueryRow<ID, Payload>] = []
    @usableFromInline var new: [QueryRow<ID, Payload>] = []

    init() {}
}

/// The closures of a query that call its conditions, orders and outputs for each value.
///
/// The deriver calls a live query as `any AnyLiveQuery`. Code that is generic over the types of the
/// rows would run unspecialized there, about ten times slower. These closures are compiled in the
/// client's module, where a query is created, like `CommitSteps`.
@usableFromInline
struct QuerySteps<Element: Identifiable & Sendable, Payload: QueryPayload>: Sendable
where Element.ID: Sendable {
    @usableFromInline typealias Definition = QueryDefinition<Element, Payload>
    @usableFromInline typealias Row = QueryRow<Element.ID, Payload>
    @usableFromInline typealias Scratch = QueryScratch<Element.ID, Payload>
    @usableFromInline typealias Changes = QueryRowChanges<Element.ID, Payload>

    /// A closure that adds the differences that changes of values make.
    @usableFromInline
    let compare:
        @Sendable (
            Definition, TableChanges<Element>, QueryReaders, inout Changes, inout Scratch
        ) -> Void
    /// A closure that adds the differences between the rows of a value before and after a commit.
    @usableFromInline
    let compareValue:
        @Sendable (
            Definition, _ old: Element?, _ new: Element?, _ isValueChanged: Bool, QueryReaders,
            inout Changes, inout Scratch
        ) -> Void
    /// A closure that appends the rows of all values of a table as of an open snapshot.
    @usableFromInline
    let scan: @Sendable (Definition, Table<Element>, UInt64, QueryReader, inout [Row]) -> Void

    @inlinable
    init() {
        compare = { definition, changes, reading, result, scratch in
            changes.forEachValue { _, _, old, new in
                definition.compareRows(
                    of: old,
                    new,
                    isValueChanged: true,
                    reading,
                    &result,
                    &scratch
                )
            }
        }
        compareValue = { definition, old, new, isValueChanged, reading, result, scratch in
            definition.compareRows(
                of: old,
                new,
                isValueChanged: isValueChanged,
                reading,
                &result,
                &scratch
            )
        }
        scan = { definition, table, version, reader, rows in
            table.forEachValue(at: version) { definition.appendRows($1, reader, &rows) }
        }
    }
}
