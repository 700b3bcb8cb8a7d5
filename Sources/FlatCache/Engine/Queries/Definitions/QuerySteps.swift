/// The closures of a query that access single rows.
///
/// The deriver calls a live query as `any AnyLiveQuery`. Code that is generic over the types of the
/// rows would run unspecialized there, about ten times slower. These closures are compiled in the
/// client's module, where a query is created, like `CommitSteps`.
@usableFromInline
struct QuerySteps<Element: Identifiable & Sendable, Payload: QueryPayload>: Sendable
where Element.ID: Sendable {
    @usableFromInline typealias Definition = QueryDefinition<Element, Payload>
    @usableFromInline typealias Row = QueryRow<Element.ID, Payload>
    @usableFromInline typealias Rows = QueryRows<Element.ID, Payload>
    @usableFromInline typealias Scratch = QueryScratch<Element.ID, Payload>
    @usableFromInline typealias Changes = QueryRowChanges<Element.ID, Payload>

    /// A closure that creates a result from rows in any order.
    @usableFromInline let makeRows: @Sendable ([Row], Payload.Combining) -> Rows
    /// A closure that sorts changes, and applies them.
    @usableFromInline let apply: @Sendable (inout Rows, inout Changes) -> Void
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
    /// A closure that appends the rows of the values of some entities, as of a version or of the
    /// open transaction.
    @usableFromInline
    let scanEntities:
        @Sendable (
            Definition, Table<Element>, UInt64?, [Element.ID], QueryReader, inout [Row]
        ) -> Void
    /// A closure that returns the positions of the rows with a sort key.
    @usableFromInline let positions: @Sendable (Rows, QuerySortKey) -> Range<Int>
    /// A closure that returns the identifiers of the rows at some positions, each of them once.
    @usableFromInline
    let ids: @Sendable (Rows, [Range<Int>], _ areDistinct: Bool) -> [Element.ID]
    /// A closure that returns the difference between two results, which changes have made.
    @usableFromInline
    let difference: @Sendable (Rows, Rows, QueryWindow, Changes) -> TreeDifference<Element.ID>
    /// A closure that applies the changes of a commit, and writes the state.
    @usableFromInline
    let write:
        @Sendable (
            Commit, Definition, (query: UInt64, state: UInt64), inout Changes, inout Rows,
            _ isFirst: Bool
        ) -> Void
    /// A closure that creates the table of the states, unless there is one.
    @usableFromInline let makeTable: @Sendable (TableDirectory) -> Void

    @inlinable
    init() {
        makeRows = { Rows(unordered: $0, combining: $1) }
        apply = { rows, changes in
            changes.sort()
            rows.apply(changes)
        }
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
        scanEntities = { definition, table, version, ids, reader, rows in
            for id in ids {
                let value =
                    if let version {
                        table.value(id: id, hash: table.hash(of: id), at: version)
                    } else {
                        table.writtenValue(id: id)
                    }
                if let value { definition.appendRows(value, reader, &rows) }
            }
        }
        positions = { rows, key in
            let start = rows.position { QuerySortKey.compare($0.key, key) >= 0 }
            return start..<rows.position { QuerySortKey.compare($0.key, key) > 0 }
        }
        ids = { rows, ranges, areDistinct in
            var ids: [Element.ID] = []
            ids.reserveCapacity(ranges.reduce(0) { $0 + $1.count })
            for range in ranges { rows.forEach(in: range) { ids.append($0.id) } }
            return areDistinct ? ids : Array(Set(ids))
        }
        difference = { old, new, window, changes in
            new.difference(from: old, in: window, changes)
        }
        write = { commit, definition, numbers, changes, rows, isFirst in
            commit.set(
                definition.state(
                    numbers,
                    applying: &changes,
                    to: &rows,
                    isFirst: isFirst
                )
            )
        }
        makeTable = { tables in _ = tables.table(of: QueryState<Element, Payload>.self) }
    }
}
