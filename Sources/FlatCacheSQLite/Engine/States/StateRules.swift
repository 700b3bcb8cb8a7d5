#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCacheFoundation
import FlatCacheRows

/// The rules of a table for the states of lists, aliases or requests.
///
/// A cache stores such a state like the value of an entity, under its name.
struct StateRules<State: Identifiable & Sendable>: Sendable
where State.ID: Codable & Sendable {
    /// The names of the states that the graph keeps, or `nil` if it keeps the states of all names
    /// that `isKept` accepts.
    var names: [State.ID]?
    /// The lists with prefixes that the graph keeps besides those with `names`.
    var prefixes: [KeptLists] = []
    /// A closure that returns whether the graph keeps the state of a name.
    var isKept: @Sendable (State.ID) -> Bool = { _ in true }
    /// A closure that returns the prefix of the only states that the removal of all removes, or
    /// `nil` if it removes none.
    var removedPrefix: (@Sendable () -> String?)?
    /// A closure that adds the name to a decoded state, because the row's value lacks it.
    let named: @Sendable (State, State.ID) -> State
    /// A closure that returns the keys of the entities to load with a state at the start.
    var related: @Sendable (State) -> [CacheKey] = { _ in [] }
    /// A closure that merges a stored state with one that was edited while memory lacked the stored
    /// state; `nil` if an edited state always replaces the stored one.
    ///
    /// The arguments are the stored state and the edited one. The closure returns `nil` if the
    /// edited state replaces the stored one.
    var merge: (@Sendable (State, State) -> State?)?
    /// A closure that returns the description of a state for messages.
    let describe: @Sendable (State.ID) -> String
    var makeJournal:
        @Sendable (CacheAccess, @escaping @Sendable () -> Void) -> ChangeJournal<State> = {
            ChangeJournal(of: State.self, in: $0, signal: $1)
        }
    /// A closure that adjusts the entities that a flush writes, before they're encoded.
    var adjust: @Sendable (inout EntityChanges<State>, CacheAccess) -> Void = { _, _ in }

    /// Returns the changes to the states that the graph keeps.
    func kept(_ changes: EntityChanges<State>, _ access: CacheAccess) -> EntityChanges<State> {
        var changes = changes
        adjust(&changes, access)
        changes.taken.stored = ChunkedArray(changes.taken.stored.lazy.filter(isKept))
        changes.taken.removed = ChunkedSet(changes.taken.removed.lazy.filter(isKept))
        changes.taken.invalidated = ChunkedSet(changes.taken.invalidated.lazy.filter(isKept))
        changes.entities.removeAll { !isKept($0.id) }
        // The table may contain states that another version of the program keeps.
        if changes.taken.removesAll, let names {
            changes.taken.removesAll = false
            changes.taken.removed.formUnion(names)
            changes.removedPrefixes = prefixes.map(\.prefix)
        }
        if changes.taken.removesAll, let removedPrefix {
            changes.taken.removesAll = false
            changes.removedPrefixes = removedPrefix().map { [$0] } ?? []
        }
        return changes
    }
}

extension StateRules {
    static func aliases<Value: Identifiable & Sendable>(
        of type: Value.Type,
        _ loading: DurableLoading
    ) -> StateRules where State == AliasState<Value>, Value.ID: Codable & Sendable {
        StateRules(
            named: { AliasState(id: $1, target: $0.target, pinsTarget: $0.pinsTarget) },
            related: { state in
                loading == .atStart ? [CacheKey(Value.self, id: state.target)] : []
            },
            describe: { "The alias \(String(reflecting: $0)) for \(Value.self)" }
        )
    }

    static func lists<Element: Identifiable & Sendable>(
        of type: Element.Type,
        _ lists: ListDeclarations
    ) -> StateRules where State == ListState<Element>, Element.ID: Codable & Sendable {
        lists.check()
        let loading = Dictionary(uniqueKeysWithValues: lists.single.map { ($0.name, $0.loading) })
        let prefixed = lists.prefixed
        return StateRules(
            names: lists.single.map(\.name),
            prefixes: prefixed,
            isKept: { name in loading[name] != nil || prefixed.contains { $0.contains(name) } },
            named: { $0.named($1) },
            related: { state in
                let time = loading[state.id] ?? prefixed.first { $0.contains(state.id) }?.loading
                guard time == .atStart else { return [] }
                return state.ids.map { CacheKey(Element.self, id: $0) }
            },
            merge: { stored, edited in edited.appended(to: stored) },
            describe: { "The list \(String(reflecting: $0)) of \(Element.self)" }
        )
    }
}

extension StateRules where State == PendingMutation {
    static func mutations(withPrefix prefix: Locked<String?>) -> StateRules {
        StateRules(
            isKept: PendingMutation.isStored,
            removedPrefix: { prefix.withLock { $0 } },
            named: { state, _ in state },
            describe: { "The pending mutation \(String(reflecting: $0))" }
        )
    }
}

extension StateRules where State == RequestState {
    static func responses(_ prefixes: [String]?) -> StateRules {
        StateRules(
            isKept: { name in prefixes?.contains { name.hasPrefix($0) } ?? true },
            named: { state, _ in state },
            describe: { "The response of the request \(String(reflecting: $0))" },
            makeJournal: { $0.journalOfRequests(signal: $1) },
            adjust: { changes, access in changes.adjustResponses(at: access.now) }
        )
    }
}

extension EntityChanges where Value == RequestState {
    /// Removes the rows of responses that can't be encoded, and gives the others their ages and
    /// their freshness.
    ///
    /// The time for which a response has been stale is negative while it's fresh.
    fileprivate mutating func adjustResponses(at now: CacheInstant) {
        entities.removeAll { entity in
            if entity.value.responseType is any (Decodable & Encodable).Type { return false }
            taken.removed.insert(entity.id)
            return true
        }
        for index in entities.indices {
            let lifetime = entities[index].value.lifetime(at: now)
            entities[index].freshness.age = entities[index].value.age(at: now)
            entities[index].freshness.staleFor = lifetime.map { .zero - $0 }
        }
    }
}

/// The row of a list or an alias without its name: that's the row's identifier.
protocol StateRow: Codable {
    /// Returns the row with the present identifiers of its entities, or `nil` if none is left.
    func renamed(_ names: FormerNames) -> Self?
}

struct ListRow: StateRow {
    let ids: IdentifierList
    let pins: Bool
    let cursors: [String]
    let ends: [Int]
    let isComplete: Bool
    // Rows of files that were written before lists had these lack them.
    let keepsLastCursor: Bool?
    let startCursor: String?

    // If several identifiers become one, the list keeps it at its first position. The ends of the
    // pages move with the elements.
    func renamed(_ names: FormerNames) -> ListRow? {
        var others: [RowIdentifier] = []
        var known: Set<RowIdentifier> = []
        var ends: [Int: Int] = [0: 0]
        let oldEnds = Set(self.ends)
        for (index, id) in ids.identifiers.enumerated() {
            if let other = names[id], known.insert(other).inserted { others.append(other) }
            if oldEnds.contains(index + 1) { ends[index + 1] = others.count }
        }
        if others.isEmpty, !ids.identifiers.isEmpty { return nil }
        return ListRow(
            ids: IdentifierList(others),
            pins: pins,
            cursors: cursors,
            // A damaged row can contain an end beyond its elements.
            ends: self.ends.map { ends[$0] ?? $0 },
            isComplete: isComplete,
            keepsLastCursor: keepsLastCursor,
            startCursor: startCursor
        )
    }
}

struct AliasRow: StateRow {
    /// The identifier of the entity alone.
    let target: IdentifierList
    let pins: Bool

    func renamed(_ names: FormerNames) -> AliasRow? {
        let target = target.identifiers.compactMap { names[$0] }
        return target.isEmpty ? nil : AliasRow(target: IdentifierList(target), pins: pins)
    }
}

extension ListState: Codable where Element.ID: Codable {
    init(from decoder: any Decoder) throws {
        let row = try ListRow(from: decoder)
        guard row.cursors.count == row.ends.count else {
            throw RowError(
                "The list has \(row.cursors.count) cursors, but \(row.ends.count) ends."
            )
        }
        self.init(
            id: "",
            ids: try row.ids.identifiers.map(IdentifierForm().decode),
            pinsElements: row.pins,
            boundaries: zip(row.cursors, row.ends).map { PageBoundary(cursor: $0, position: $1) },
            isComplete: row.isComplete,
            keepsLastCursor: row.keepsLastCursor ?? false,
            startCursor: row.startCursor
        )
    }

    func encode(to encoder: any Encoder) throws {
        let row = ListRow(
            ids: IdentifierList(try ids.map(IdentifierForm().encode)),
            pins: pinsElements,
            cursors: boundaries.map(\.cursor),
            ends: boundaries.map(\.position),
            isComplete: isComplete,
            keepsLastCursor: keepsLastCursor ? true : nil,
            startCursor: startCursor
        )
        try row.encode(to: encoder)
    }
}

extension AliasState: Codable where Value.ID: Codable {
    init(from decoder: any Decoder) throws {
        let row = try AliasRow(from: decoder)
        guard let target = row.target.identifiers.first else { throw RowError.otherIdentifier }
        self.init(id: "", target: try IdentifierForm().decode(target), pinsTarget: row.pins)
    }

    func encode(to encoder: any Encoder) throws {
        let target = IdentifierList([try IdentifierForm().encode(target)])
        try AliasRow(target: target, pins: pinsTarget).encode(to: encoder)
    }
}

// The row of a request contains its response.
extension RequestState: Codable {
    /// Throws, since only the load of a request knows the type of its response.
    ///
    /// `DurableTable.readResponse(of:as:)` decodes the response itself.
    init(from decoder: any Decoder) throws {
        throw RowError("A response can be decoded only as the type of a load.")
    }

    func encode(to encoder: any Encoder) throws {
        guard let response = response as? any Encodable else {
            throw RowError(
                """
                \(responseType) doesn't conform to Codable, or only on the main actor: in a module \
                that is isolated to it, declare the type nonisolated.
                """
            )
        }
        var container = encoder.singleValueContainer()
        try container.encode(response)
    }
}
#endif
