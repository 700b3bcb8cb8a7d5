import FlatCache
import FlatCachePersistence
import Foundation

/// Reports every change of a notebook's files, including those of other programs.
struct NotebookWatch {
    let notebook: Notebook
    let output: Output

    /// Watches until a closure returns.
    func run(until end: () -> Void) {
        let listening = [
            notebook.$settings.addUpdateListener { show($0, of: notebook.settingsFile, settings) },
            notebook.$order.addUpdateListener { show($0, of: notebook.orderFile, order) },
        ]
        output.line("")
        output.line("Watching until you press Return; edit a file, and see:")
        output.line("    \(notebook.settingsFile.path(percentEncoded: false))")
        output.line("    \(notebook.orderFile.path(percentEncoded: false))")
        end()
        for token in listening { token.dispose() }
        output.line("No longer watching.")
    }

    private func show<Value>(
        _ result: Result<Persister<Value>.Update, any Error>,
        of file: URL,
        _ describe: (Value) -> String
    ) {
        switch result {
        case .success(let update):
            let isRemoved = if case .removed = update.event { true } else { false }
            let prefix = isRemoved ? "deleted; now " : ""
            output.line("\(file.lastPathComponent): \(prefix)\(describe(update.newValue))")
        case .failure(let error):
            // The file isn't changed, so that the user can correct it.
            output.error("\(error)")
        }
    }

    private func settings(_ settings: Settings) -> String {
        "orders are sorted by \(settings.sorting.rawValue)"
    }

    private func order(_ order: OrderDraft?) -> String {
        guard let order else { return "there is no draft" }
        let lines = order.lines(sortedBy: notebook.settings.sorting)
        return ([counted(lines.count, "book")] + lines).joined(separator: "; ")
    }
}
