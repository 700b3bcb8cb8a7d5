#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache
import Foundation

/// The content of a declaration from which a graph makes its tables.
@usableFromInline
struct DeclaredContent: Sendable {
    struct Shared {
        let database: Database
        let coder: any RowCoder
        let wallClock: @Sendable () -> Date
        let errors: PendingErrors
        /// The tables of all other types, when the table of the responses is made.
        var entities: [any AnyDurableTable] = []
    }

    /// The type of the states, or `nil` for the entities of a type.
    private let stateType: Any.Type?
    /// The type of the entities to which the states refer, or `nil` if they refer to none.
    private let elementType: Any.Type?
    /// The declared lists, or `nil` if the content isn't one of lists.
    private let lists: ListDeclarations?
    /// A closure that creates the table.
    ///
    /// The arguments after the first one are all lists with the state type, and the table of the
    /// entities.
    private let makeTable:
        @Sendable (Shared, ListDeclarations, (any AnyDurableTable)?) -> any AnyDurableTable

    init<Value>(_ durable: Durable<Value>) {
        stateType = nil
        elementType = nil
        lists = nil
        makeTable = { shared, _, _ in DurableTable(durable, shared) }
    }

    @usableFromInline
    init<Element: Identifiable & Sendable>(
        list name: String,
        of type: Element.Type,
        _ loading: DurableLoading,
        createTable: @escaping @Sendable (Cache) -> Void
    ) where Element.ID: Codable & Sendable {
        let lists = ListDeclarations(single: [KeptList(name: name, loading: loading)])
        self.init(type, "flatcache_lists_", lists, createTable: createTable) {
            .lists(of: type, $0)
        }
    }

    @usableFromInline
    init<Element: Identifiable & Sendable>(
        listsWithPrefix prefix: String,
        of type: Element.Type,
        _ maximumCount: Int?,
        _ loading: DurableLoading,
        createTable: @escaping @Sendable (Cache) -> Void
    ) where Element.ID: Codable & Sendable {
        precondition(
            maximumCount ?? 1 > 0,
            "The file can't keep lists with the prefix \"\(prefix)\": pass a positive maximumCount."
        )
        let kept = KeptLists(prefix: prefix, maximumCount: maximumCount, loading: loading)
        let lists = ListDeclarations(prefixed: [kept])
        self.init(type, "flatcache_lists_", lists, createTable: createTable) {
            .lists(of: type, $0)
        }
    }

    @usableFromInline
    init<Value: Identifiable & Sendable>(
        aliasesOf type: Value.Type,
        _ loading: DurableLoading,
        createTable: @escaping @Sendable (Cache) -> Void
    ) where Value.ID: Codable & Sendable {
        self.init(type, "flatcache_aliases_", createTable: createTable) { _ in
            .aliases(of: type, loading)
        }
    }

    init(_ responses: DurableResponses) {
        self.init(
            nil,
            TableStatements.responses,
            limit: responses.limit.and(.staleness(RequestState.keptWhileStale)),
            loading: .onDemand
        ) { _ in .responses(responses.prefixes) }
    }

    /// The name of the table of the pending mutations.
    static let mutations = "flatcache_mutations"

    /// Declares the pending mutations, for which every graph has a table.
    init(mutationsOf prefix: Locked<String?>) {
        self.init(nil, Self.mutations) { _ in .mutations(withPrefix: prefix) }
    }

    /// Declares states, whose table has a name that ends with that of the elements.
    private init<State: Identifiable & Codable & Sendable>(
        _ elementType: Any.Type?,
        _ name: String,
        _ lists: ListDeclarations? = nil,
        limit: DurableLimit = .none,
        loading: DurableLoading = .atStart,
        createTable: @escaping @Sendable (Cache) -> Void = { _ in },
        rules: @escaping @Sendable (ListDeclarations) -> StateRules<State>
    ) where State.ID: Codable & Sendable {
        stateType = State.self
        self.elementType = elementType
        self.lists = lists
        makeTable = { shared, lists, elements in
            let durable = Durable(
                of: rules(lists),
                named: name + (elements?.name ?? ""),
                limit: limit,
                loading: loading,
                createTable: createTable
            )
            return DurableTable(durable, shared, elements: elements)
        }
    }
}

extension DeclaredContent {
    /// Creates the tables of declarations: those of entities, of states, and at last of responses,
    /// which may contain any of them.
    static func tables(
        of declarations: [DurableBuilder.Declaration],
        _ shared: Shared
    ) -> [any AnyDurableTable] {
        var contents = declarations.map(\.content)
        let responses = contents.partition { $0.stateType == RequestState.self }
        var tables = contents.filter { $0.stateType == nil }.map {
            $0.makeTable(shared, ListDeclarations(), nil)
        }
        var shared = shared
        var known: Set<ObjectIdentifier> = []
        for (index, content) in contents.enumerated() {
            if index == responses { shared.entities = tables }
            guard let stateType = content.stateType else { continue }
            let isNew = known.insert(ObjectIdentifier(stateType)).inserted
            precondition(
                isNew || content.lists != nil,
                """
                A graph declares the aliases of each type once, and the responses of requests once.
                """
            )
            guard isNew else { continue }
            let elements = tables.first { $0.type == content.elementType }
            if let elementType = content.elementType, elements == nil {
                preconditionFailure(
                    """
                    The lists and aliases of \(elementType) can't be durable without \
                    \(elementType) itself: declare Durable(\(elementType).self, …), too.
                    """
                )
            }
            let declared = contents.filter { $0.stateType == stateType }.compactMap(\.lists)
            let lists = ListDeclarations(
                single: declared.flatMap(\.single),
                prefixed: declared.flatMap(\.prefixed)
            )
            tables.append(content.makeTable(shared, lists, elements))
        }
        return tables
    }
}

struct KeptList: Hashable, Sendable {
    let name: String
    let loading: DurableLoading
}

/// The lists with a prefix that a graph keeps.
struct KeptLists: Hashable, Sendable {
    /// The beginning of the lists' names.
    let prefix: String
    /// The maximum number of lists in the file, or `nil` for any number.
    let maximumCount: Int?
    let loading: DurableLoading

    func contains(_ name: String) -> Bool { name.hasPrefix(prefix) }
}

struct ListDeclarations: Sendable {
    var single: [KeptList] = []
    var prefixed: [KeptLists] = []

    /// Checks that a name belongs to one declaration, and traps otherwise.
    func check() {
        let names = single.map(\.name)
        precondition(
            Set(names).count == names.count,
            "A graph declares each list once: \(names)."
        )
        let prefixes = prefixed.map(\.prefix)
        for (index, prefix) in prefixes.enumerated() {
            let other = prefixes.indices.first { $0 != index && prefixes[$0].hasPrefix(prefix) }
            precondition(
                other == nil,
                """
                The prefix "\(prefix)" includes the lists with the prefix \
                "\(other.map { prefixes[$0] } ?? "")": declare one of the two.
                """
            )
        }
    }
}
#endif
