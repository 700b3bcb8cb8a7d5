/// A change that a table has made to an entry with a node in the watch graph.
struct NodeChange {
    let node: WatchNodeID
    /// The new identifier of the entry, which has moved, or `nil` if the entry has left its table.
    let entry: EntryID?
}
