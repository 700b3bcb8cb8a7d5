/// The editor of a list in a layer.
///
/// ```swift
/// let draft = cache.beginLayer("Move to the top") { layer in
///     layer.list("bestsellers", of: Book.self).move(3, before: nil)
/// }
/// ```
///
/// The edits name elements by their identifiers, since the cache applies them again whenever the
/// confirmed list changes. If the anchor is `nil`, or the list doesn't contain it, `before` means
/// the start of the list, and `after` the end.
public struct LayerList<Element: Identifiable & Sendable> where Element.ID: Sendable {
    let name: String
    let pinsElements: Bool
    let layer: CacheLayer

    /// Inserts an element at the end, unless the list contains it.
    public func append(_ id: Element.ID) { add(.insert(id, .after(nil))) }

    /// Inserts an element at the start, unless the list contains it.
    public func prepend(_ id: Element.ID) { add(.insert(id, .before(nil))) }

    /// Inserts an element before another one, unless the list contains it.
    public func insert(_ id: Element.ID, before anchor: Element.ID) {
        add(.insert(id, .before(anchor)))
    }

    /// Inserts an element after another one, unless the list contains it.
    public func insert(_ id: Element.ID, after anchor: Element.ID) {
        add(.insert(id, .after(anchor)))
    }

    /// Moves an element before another one, if the list contains it.
    public func move(_ id: Element.ID, before anchor: Element.ID?) {
        add(.move(id, .before(anchor)))
    }

    /// Moves an element after another one, if the list contains it.
    public func move(_ id: Element.ID, after anchor: Element.ID?) {
        add(.move(id, .after(anchor)))
    }

    /// Removes an element from the list, but not from the cache.
    public func remove(_ id: Element.ID) { add(.remove(id)) }

    private func add(_ edit: ListEdit<Element>) {
        layer.add(edit.operation(on: name, pinsElements), to: name)
    }
}

/// An edit of a layer to a list.
enum ListEdit<Element: Identifiable & Sendable>: Sendable where Element.ID: Sendable {
    enum Place: Sendable {
        case before(Element.ID?)
        case after(Element.ID?)
    }

    case insert(Element.ID, Place)
    case move(Element.ID, Place)
    case remove(Element.ID)

    func operation(on name: String, _ pinsElements: Bool) -> LayerOperation<ListState<Element>> {
        ListOperation(self, on: name, pinsElements)
    }

    /// Edits identifiers; returns whether they have changed.
    ///
    /// - Parameter present: The identifiers as a set.
    fileprivate func apply(to ids: inout [Element.ID], _ present: inout Set<Element.ID>) -> Bool {
        switch self {
        case .insert(let id, let place):
            guard present.insert(id).inserted else { return false }
            ids.insert(id, at: Self.index(of: place, in: ids))
        case .move(let id, let place):
            guard present.contains(id), let index = ids.firstIndex(of: id) else { return false }
            // An element that is its own anchor stays.
            if case .before(id) = place { return false }
            if case .after(id) = place { return false }
            ids.remove(at: index)
            ids.insert(id, at: Self.index(of: place, in: ids))
        case .remove(let id):
            guard present.remove(id) != nil else { return false }
            ids.removeAll { $0 == id }
        }
        return true
    }

    private static func index(of place: Place, in ids: [Element.ID]) -> Int {
        func index(of anchor: Element.ID?) -> Int? { anchor.flatMap { ids.firstIndex(of: $0) } }
        return switch place {
        case .before(let anchor): index(of: anchor) ?? 0
        case .after(let anchor): index(of: anchor).map { $0 + 1 } ?? ids.count
        }
    }

    fileprivate func replacing(_ old: Element.ID, by new: Element.ID) -> ListEdit {
        func renamed(_ id: Element.ID) -> Element.ID { id == old ? new : id }
        func renamed(_ place: Place) -> Place {
            switch place {
            case .before(let anchor): .before(anchor.map(renamed))
            case .after(let anchor): .after(anchor.map(renamed))
            }
        }
        return switch self {
        case .insert(let id, let place): .insert(renamed(id), renamed(place))
        case .move(let id, let place): .move(renamed(id), renamed(place))
        case .remove(let id): .remove(renamed(id))
        }
    }
}

/// The operation of a list edit.
///
/// All edits of a list are applied at once: the set of its elements is made only once.
private final class ListOperation<Element: Identifiable & Sendable>:
    LayerOperation<ListState<Element>>, @unchecked Sendable
where Element.ID: Sendable {
    private let edit: ListEdit<Element>
    private let name: String
    private let pinsElements: Bool

    init(_ edit: ListEdit<Element>, on name: String, _ pinsElements: Bool) {
        (self.edit, self.name, self.pinsElements) = (edit, name, pinsElements)
        super.init(.refer) { old, new in
            guard let old = old.id(as: Element.self), let new = new.id(as: Element.self) else {
                return nil
            }
            return edit.replacing(old, by: new).operation(on: name, pinsElements)
        } _: { list, table, core in
            preconditionFailure("Edits of a list are applied together.")
        }
    }

    override func applyAll(
        _ operations: [AnyLayerOperation],
        to list: ListState<Element>?,
        in table: Table<ListState<Element>>,
        _ core: CacheCore
    ) -> ListState<Element>? {
        var ids = list?.ids ?? []
        var present = Set(ids)
        var creator: ListOperation?
        for operation in operations {
            let operation = unsafeDowncast(operation, to: ListOperation.self)
            if operation.edit.apply(to: &ids, &present), creator == nil { creator = operation }
        }
        guard let creator else { return list }
        let base = list ?? ListState(id: name, ids: [], pinsElements: creator.pinsElements)
        return base.edited(to: ids, pinsElements: base.pinsElements)
    }
}

extension ListState {
    /// Returns the list with an identifier replaced, or `nil` if it doesn't contain the identifier.
    func replacing(_ old: Element.ID, by new: Element.ID) -> ListState? {
        guard ids.contains(old) else { return nil }
        let isPresent = ids.contains(new)
        let changed = ids.compactMap { $0 != old ? $0 : isPresent ? nil : new }
        return edited(to: changed, pinsElements: pinsElements)
    }
}
