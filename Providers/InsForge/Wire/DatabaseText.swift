import IdentityKit

extension ErrorAnswer {
    /// Whether the server passes on what its database said: under a code of its own, or, for what the database forbids,
    /// as `FORBIDDEN`, the code of an address that is not verified.
    var isOfDatabase: Bool {
        error.hasPrefix("DATABASE_") || error == "MISSING_FIELD" || message.isOfDatabase
    }
}

extension String {
    /// A text of the server for a person: one line without tokens, and nothing that its database said. Errors of the
    /// database reach clients under many codes, and in the address of a callback under none.
    func asPersonalText(or fallback: String) -> String {
        isOfDatabase ? fallback : asServerText(or: fallback)
    }

    /// Whether this is what PostgreSQL says, or the driver that talks to it: names of tables, columns and policies.
    fileprivate var isOfDatabase: Bool {
        // What it says first is enough, and a text of any length must not cost more.
        let text = String(unicodeScalars.prefix(1000)).lowercased()
        return text.contains(/(relation|table|schema|type|role|database|constraint) "[^"]*" does not exist/)
            || text.contains(/column ("[^"]*"|[a-z0-9_.]+)( of relation "[^"]*")? does not exist/)
            || text.contains(/function [a-z0-9_."]+\([^)]*\) does not exist/)
            || text.contains(/violates (row-level security|[a-z\- ]*constraint)/)
            || text.contains(/duplicate key value|null value in column/)
            || text.contains(/permission denied for (table|relation|schema|function|sequence|database|column|view)/)
            || text.contains(/syntax error at or near|invalid input (syntax|value) for|current transaction is aborted/)
            || text.contains(/deadlock detected|could not serialize access|terminating connection|too many clients/)
            || text.contains(/^(insert into [a-z0-9_."]+ |update [a-z0-9_."]+ set |delete from [a-z0-9_."]+( |$))/)
            || text.contains(/^select .*( where |\$1)/) || text.contains(/^(alter|create) table/)
            || text.contains(/sqlstate|econnrefused|enotfound|etimedout|econnreset|connection terminated/)
    }
}
