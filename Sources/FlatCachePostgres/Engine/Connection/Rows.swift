#if canImport(CPostgres)
import CPostgres

/// The result of a statement.
final class Rows {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }

    var isSynchronization: Bool { PQresultStatus(result) == PGRES_PIPELINE_SYNC }

    /// The error of the statement, or `nil` if it succeeded.
    var error: PostgresGraphError? {
        switch PQresultStatus(result) {
        case PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR, PGRES_FATAL_ERROR:
            PostgresGraphError(
                sqlState: field("C") ?? "",
                message: field("M") ?? "The statement failed.",
                constraint: field("n"),
                isFatal: ["FATAL", "PANIC"].contains(field("V"))
            )
        case PGRES_PIPELINE_ABORTED:
            PostgresGraphError(.failed, "An earlier statement of the transaction failed.")
        default: nil
        }
    }

    private func field(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
    }

    /// The name of the command, such as `COMMIT`.
    var command: String { String(cString: PQcmdStatus(result)) }

    subscript(row: Int, column: Int) -> String? {
        bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The text of a value that isn't null.
    func text(_ row: Int, _ column: Int) -> String { self[row, column] ?? "" }

    func integer(_ row: Int, _ column: Int) -> Int64 { Int64(text(row, column)) ?? 0 }

    func flag(_ row: Int, _ column: Int) -> Bool { text(row, column) == "t" }

    /// The bytes of a value, valid as long as the rows, or `nil` if it's null.
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        guard PQgetisnull(result, Int32(row), Int32(column)) == 0 else { return nil }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(result, Int32(row), Int32(column)),
            count: Int(PQgetlength(result, Int32(row), Int32(column)))
        )
    }

    /// The elements of an array of texts without nulls, or `nil` if the array is null.
    func array(_ row: Int, _ column: Int) -> [String]? {
        self[row, column].map { ArrayLiteral.elements(of: $0) }
    }
}
#endif
