/// The query and the keys from which sections are made.
@usableFromInline
struct SectionSource<Key: Hashable & Comparable & Sendable, Element: Identifiable & Sendable>:
    Sendable
where Element.ID: Sendable {
    @usableFromInline let query: CachedQuery<Element>
    @usableFromInline let isDescending: Bool
    /// A Boolean value that indicates whether keys may depend on other entities.
    @usableFromInline let usesReader: Bool
    /// A closure that returns the key of a value's section, or `nil`.
    @usableFromInline let key: @Sendable (Element, QueryReader) -> Key?

    @usableFromInline
    init(
        query: CachedQuery<Element>,
        isDescending: Bool,
        usesReader: Bool,
        key: @escaping @Sendable (Element, QueryReader) -> Key?
    ) {
        self.query = query
        self.isDescending = isDescending
        self.usesReader = usesReader
        self.key = key
    }

    /// Returns the definition of a result whose rows are in sections.
    ///
    /// - Parameters:
    ///   - usesReader: A Boolean value that indicates whether the output may depend on other
    ///     entities.
    ///   - output: A closure that returns the row of a value.
    ///   - isUpdated: A closure that returns whether a row has changed, whose key hasn't.
    @usableFromInline
    func definition<Output: Sendable>(
        usesReader: Bool,
        output: @escaping @Sendable (Element, QueryReader) -> Output,
        isUpdated: @escaping @Sendable (Output, Output, Bool) -> Bool
    ) -> QueryDefinition<Element, SectionMember<Key, Output>> {
        query.plan.definition(
            groupedBy: { [isDescending] in QuerySortKey($0.key, isDescending: isDescending) },
            usesReader: self.usesReader || usesReader,
            payload: { [key] in SectionMember(key: key($0, $1), output: output($0, $1)) },
            isUpdated: { old, new, isValueChanged in
                old.key != new.key || isUpdated(old.output, new.output, isValueChanged)
            },
            combining: NoSummary()
        )
    }
}
