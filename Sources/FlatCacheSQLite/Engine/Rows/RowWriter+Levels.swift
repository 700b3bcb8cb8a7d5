#if canImport(SQLite3) || canImport(CSQLite)
extension RowWriter {
    /// A value whose `encode(to:)` is running.
    struct Level {
        enum Shape { case single, keyed, unkeyed }

        var shape = Shape.single
        /// The position of the container's size, or of the single value.
        var start: Int
        /// The number of elements of an unkeyed container.
        var count = 0
        /// The number of nested containers that belong to outer levels.
        let outerChildren: Int
        /// The keys of the level around this one so far.
        let outerKeys: KeySequence
        /// `true` if a key may have been written twice.
        ///
        /// It's `true` for the cases of an enumeration, and if the container was requested twice.
        /// Other keys, such as those of a dictionary, can be so many that looking for repeated ones
        /// would take too long.
        var mayRepeatKeys = false
    }

    /// A nested container that was requested explicitly.
    struct Child {
        let position: Int
        let key: any CodingKey
        let writer: RowWriter
    }
}
#endif
