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
