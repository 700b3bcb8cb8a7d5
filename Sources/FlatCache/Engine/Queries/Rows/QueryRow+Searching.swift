extension QueryRow {
    /// Sorts the rows of a value if they're too many for a linear search.
    ///
    /// Most values have one row.
    ///
    /// - Complexity: O(*n* log *n*) for *n* rows.
    @inlinable
    static func prepareSearch(in rows: inout [QueryRow]) {
        if rows.count > LinearSearch.maximumCount { sort(&rows) }
    }

    /// Returns the first row at the place of another row.
    ///
    /// - Parameters:
    ///   - row: The other row.
    ///   - rows: The rows of a value, after a call of ``prepareSearch(in:)``.
    /// - Complexity: O(log *n*) for *n* rows.
    @inlinable
    static func first(at row: QueryRow, in rows: [QueryRow]) -> QueryRow? {
        if rows.count <= LinearSearch.maximumCount { return rows.first { compare($0, row) == 0 } }
        var (start, end) = (0, rows.count)
        while start < end {
            let middle = start + (end - start) / 2
            if areInOrder(rows[middle], row) { start = middle + 1 } else { end = middle }
        }
        return start < rows.count && compare(rows[start], row) == 0 ? rows[start] : nil
    }

    /// Appends a row of a value, unless one of a few rows from an index on has its place.
    ///
    /// After the last row of the value, call ``removeDuplicates(from:of:)``.
    @inlinable
    static func append(_ row: QueryRow, to rows: inout [QueryRow], from first: Int) {
        if rows.count - first < LinearSearch.maximumCount,
            rows[first...].contains(where: { compare($0, row) == 0 })
        {
            return
        }
        rows.append(row)
    }

    /// Keeps only the first row at each place, from an index on, of rows that
    /// ``append(_:to:from:)`` has appended.
    ///
    /// - Complexity: O(*n* log *n*) for *n* rows from the index on.
    @inlinable
    static func removeDuplicates(from first: Int, of rows: inout [QueryRow]) {
        guard rows.count - first > LinearSearch.maximumCount else { return }
        var sorted = Array(rows[first...])
        sort(&sorted)
        rows.removeSubrange(first...)
        for row in sorted {
            let isDuplicate = rows.count > first && compare(rows[rows.count - 1], row) == 0
            if !isDuplicate { rows.append(row) }
        }
    }
}
