#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

extension GraphEngine {
    /// Stores the response of a request that memory lacks.
    func restoreResponse<Response: Sendable>(of request: String, as type: Response.Type) async {
        guard let attachment, !isSuspended,
            let index = tables.firstIndex(where: { $0.type == RequestState.self }),
            let table = tables[index] as? DurableTable<RequestState>
        else { return }
        await attachment.access.withRead(of: [attachment.journals[index].journal]) {
            var errors: [SQLiteGraphError] = []
            do throws(SQLiteGraphError) {
                let stored = try reading { () throws(SQLiteGraphError) in
                    try table.response(of: request, as: type, &errors)
                }
                report(errors)
                guard let stored else { return }
                attachment.access.write(.restoring) { transaction in
                    transaction.insert(
                        stored.response,
                        ofRequest: request,
                        age: stored.age,
                        lifetime: stored.lifetime
                    )
                }
            } catch {
                report(errors + [error])
            }
        }
    }
}
#endif
