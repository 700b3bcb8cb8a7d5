import FlatCachePersistence
import Foundation

/// The end of the tour: shows the files of the last visit and writes those for the next.
struct NotebookChapter {
    let notebook: Notebook
    let output: Output

    /// Shows the notebook, and drafts an order if there is none yet.
    ///
    /// - Parameter books: The books that the visitor may order.
    /// - Returns: Whether the files could be read and written.
    func run(books: [Book]) -> Bool {
        output.line("")
        let folder = notebook.folder.absoluteURL.path(percentEncoded: false)
        output.line("Kept for the next visit in \(folder)")
        output.line("Edit the two files, and see it at once with --watch: Notebook.swift")
        do {
            let sorting = try notebook.$settings.retrieveValueOrThrow().sorting
            output.line("    settings.json  orders are sorted by \(sorting.rawValue)")
            try showOrder(of: books, sortedBy: sorting)
            return true
        } catch {
            output.error("\(error)")
            return false
        }
    }

    private func showOrder(of books: [Book], sortedBy sorting: Settings.Sorting) throws {
        // Throws if the file is invalid. `notebook.order` would be `nil`, and the code below would
        // overwrite the invalid file as if it didn't exist.
        let earlier = try notebook.$order.retrieveValueOrThrow()
        let order = earlier ?? OrderDraft(of: books.prefix(3))
        guard earlier != nil || !order.items.isEmpty else {
            output.line("    order.json     not there, because there are no books")
            return
        }
        let count = counted(order.items.count, "book")
        if earlier != nil {
            output.line("    order.json     a draft of \(count), remembered from an earlier visit")
        } else {
            try notebook.$order.persist(order)
            output.line("    order.json     a new draft of \(count)")
        }
        for line in order.lines(sortedBy: sorting) { output.line("        \(line)") }
    }
}
