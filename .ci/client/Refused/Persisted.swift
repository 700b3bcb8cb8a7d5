// The line after a mark must be an error with the text of the mark. No other line can be an error.
import FlatCachePersistence
import Foundation

struct Account: Codable, Equatable, Sendable {
    var name = ""
}

let file = URL(filePath: "/tmp/file")

struct WithoutADefault: Sendable {
    // error: needs a default
    @Persisted(key: "a", userDefaults: .standard) var a: String
    // error: needs a default
    @Persisted(key: "b", userDefaults: .standard, transformer: JSONTransformer())
    var b: Account
    // error: needs a default
    @Persisted(file: file, transformer: JSONTransformer()) var c: Account
    // error: needs a default
    @Persisted(file: file) var d: Data
}

struct OfAFormThatTheStorageDoesNotHold: Sendable {
    // error: add 'transformer:
    @Persisted(key: "a", userDefaults: .standard) var a: Set<String> = []
    // error: add 'transformer:
    @Persisted(file: file) var b = Account()
    // error: 'Int' and 'Data'
    @Persisted(file: file, transformer: RawRepresentableTransformer()) var c = Kind.paper
    // error: add 'transformer: JSONTransformer()'
    @Persisted(key: "d", userDefaults: .standard) var d: Account?
    // error: 'RawRepresentableTransformer()' for raw values
    @Persisted(key: "e", userDefaults: .standard) var e = Kind.paper
    // error: 'RawRepresentableTransformer()' for raw values
    @Persisted(key: "f", userDefaults: .standard) var f: Kind?
    // error: add 'transformer: JSONTransformer()'
    @Persisted(key: "g", userDefaults: .standard, defaultValue: Account()) var g: Account
    // error: add 'transformer: JSONTransformer()'
    @Persisted(file: file, defaultValue: Account()) var h: Account
    // error: add 'transformer: JSONTransformer()'
    @Persisted(file: file) var i: Account?
    // error: add 'transformer: JSONTransformer()'
    @Persisted(file: file) var j: Account? = nil
}

enum Kind: Int, Sendable { case paper }

// error: 'Data' and 'Account'
let chain = JSONTransformer<Account>().append(JSONTransformer<Account>())

extension KeyValueStorage {
    var theme: KeyValueContainer<String> { makeContainer(defaultValue: "light") }
    // error: redeclaration
    var theme: KeyValueContainer<Int> { makeContainer(defaultValue: 1) }
    // error: write 'makeContainer(defaultValue: value)', or make it a container of an optional
    var visits: KeyValueContainer<Int> { makeContainer() }
    // error: write 'makeContainer(defaultValue: value)', or make it a container of an optional
    var account: KeyValueContainer<Account> { makeContainer() }
}
