/// The state of a list for which a next page is requested.
///
/// Two requests are equal if they ask for the same page of the same list. A page is merged only
/// while the state of the list still matches its request.
@usableFromInline
struct PageRequest: Hashable, Sendable {
    /// The key of the list's state.
    @usableFromInline let list: CacheKey
    /// The commit in which the elements of the list were last replaced from the start.
    @usableFromInline let beginning: UInt64
    /// The latest restart of the list, which may have left its state as it was.
    @usableFromInline let restart: UInt64
    /// The position of the requested page.
    @usableFromInline let next: NextPage

    @usableFromInline
    init(list: CacheKey, beginning: UInt64, restart: UInt64, next: NextPage) {
        self.list = list
        self.beginning = beginning
        self.restart = restart
        self.next = next
    }
}
