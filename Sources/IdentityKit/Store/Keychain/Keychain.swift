import Foundation

/// The atomic calls of Apple's Keychain that a store needs.
///
/// Tests use another implementation, which runs on every system and can simulate a locked Keychain.
package protocol Keychain: Sendable {
    /// Reads one item and its value with `SecItemCopyMatching`.
    func item(_ name: KeychainName) throws(KeychainError) -> KeychainItem

    /// Reads the accounts and tags of all items of a service, without their values, with `SecItemCopyMatching`.
    func tags(ofService service: String) throws(KeychainError) -> [String: Data]

    func add(_ item: KeychainItem, as name: KeychainName) throws(KeychainError)

    /// Updates the item with `SecItemUpdate` if it still has `tag`, as a compare-and-swap.
    func update(_ name: KeychainName, tagged tag: Data, to item: KeychainItem) throws(KeychainError)

    /// Deletes the item with `SecItemDelete` if it still has `tag`. An empty `tag` deletes an item with any tag.
    func delete(_ name: KeychainName, tagged tag: Data) throws(KeychainError)
}

/// The name of an item (`kSecAttrService` and `kSecAttrAccount`).
package struct KeychainName: Hashable, Sendable {
    package let service: String
    package let account: String

    package init(service: String, account: String) {
        self.service = service
        self.account = account
    }
}

package struct KeychainItem: Equatable, Sendable {
    /// A searchable attribute beside the value (`kSecAttrGeneric`). Updating an item requires its current tag.
    package var tag: Data
    package var value: Data

    package init(tag: Data, value: Data) {
        self.tag = tag
        self.value = value
    }
}

package struct KeychainError: Error, Equatable {
    /// Result code (`OSStatus`) of the Security framework.
    package let status: Int32

    package init(status: Int32) {
        self.status = status
    }

    package static let diskFull = KeychainError(status: -34)
    package static let userCanceled = KeychainError(status: -128)
    package static let notAvailable = KeychainError(status: -25291)
    package static let duplicateItem = KeychainError(status: -25299)
    package static let itemNotFound = KeychainError(status: -25300)
    package static let interactionNotAllowed = KeychainError(status: -25308)
    package static let interactionRequired = KeychainError(status: -25315)
    package static let decode = KeychainError(status: -26275)
    package static let missingEntitlement = KeychainError(status: -34018)
}

extension KeychainError {
    /// The store's error for a failed call. Callers handle ``itemNotFound`` themselves.
    /// - Parameters:
    ///   - path: the name of the item, for the error.
    ///   - isWrite: whether the call was a write. An error without a case of its own becomes `notWritable` after a
    ///     write, and `unreadable` otherwise.
    func storeError(at path: String, isWrite: Bool) -> TokenStoreError {
        switch self {
        case .interactionNotAllowed, .interactionRequired, .notAvailable:
            .locked(detail: "the Keychain is not open, as before the first unlock after a restart.")
        case .userCanceled:
            .locked(detail: "the user refused to open the Keychain.")
        case .diskFull:
            .full(path: path)
        case .decode:
            .corrupt(path: path, detail: "the Keychain cannot decrypt it")
        default:
            isWrite ? .notWritable(path: path, detail: reason) : .unreadable(path: path, detail: reason)
        }
    }

    private var reason: String {
        switch self {
        case .missingEntitlement:
            "the Keychain requires an entitlement (status \(status)). Sign the app, and list the access group under "
                + "Keychain Sharing"
        default:
            "the Keychain returned status \(status)"
        }
    }
}
