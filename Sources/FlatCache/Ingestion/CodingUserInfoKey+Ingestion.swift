extension CodingUserInfoKey {
    /// The key under which a decoder's user information contains an ``Ingestion``.
    public static let ingestion: CodingUserInfoKey = {
        guard let key = CodingUserInfoKey(rawValue: "FlatCache.ingestion") else {
            preconditionFailure("The key of the user information is invalid.")
        }
        return key
    }()
}
