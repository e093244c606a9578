import Foundation
import IdentityKit

/// An archive that `NSKeyedArchiver` wrote as a binary property list: numbered objects with the names of their classes.
///
/// No archived class is instantiated. A caller reads only the members that it knows by name, so an object that contains
/// itself causes no endless loop.
struct KeyedArchive: Sendable {
    /// The largest archive, in bytes.
    static let maximumSize = 1 << 20

    enum Defect: Error {
        /// The data begins with `<`, so it is presumably a property list in XML.
        case xml
        /// The data is not a keyed archive, or is larger than ``maximumSize``.
        case form
    }

    /// An object of the archive. Its members are references into the archive, and are followed when they are read.
    struct Object: Sendable {
        fileprivate let archive: KeyedArchive
        fileprivate let members: [String: BinaryPropertyList.Object]
        /// Names of the object's class and its superclasses. The object's class is first.
        let classes: [String]

        func object(_ name: String) -> Object? { members[name].flatMap { archive.object(at: $0) } }
        /// Returns the text of a member, or the address of a member that is an absolute URL; `nil` for any other member.
        func text(_ name: String) -> String? {
            guard let member = members[name], let value = archive.value(at: member) else { return nil }
            if let text = archive.list.text(of: value) { return text }
            guard let object = archive.object(at: member) else { return nil }
            if object.is("NSString") { return object.plainText("NS.string") }
            // Ignore a URL with a base, because it is relative, and endpoints and issuers are always absolute.
            guard object.is("NSURL"), object.isNull("NS.base") else { return nil }
            return object.plainText("NS.relative")
        }

        func date(_ name: String) -> Date? {
            guard let object = object(name), object.is("NSDate"), case .number(let seconds)? = object.members["NS.time"]
            else { return nil }
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            return date.isOnCalendar ? date : nil
        }

        func isTrue(_ name: String) -> Bool {
            if case .bool(true)? = members[name] { true } else { false }
        }

        /// Whether the object's class or a superclass has this name.
        func `is`(_ name: String) -> Bool { classes.contains(name) }

        /// Whether the member with this name is absent or `nil`.
        func isNull(_ name: String) -> Bool {
            guard let member = members[name] else { return true }
            if case .uid(0) = member { return true }
            return false
        }

        private func plainText(_ name: String) -> String? {
            members[name].flatMap { archive.value(at: $0) }.flatMap { archive.list.text(of: $0) }
        }
    }

    private let list: BinaryPropertyList
    /// The archived objects (`$objects`), as object numbers of the property list. The first of them stands for `nil`.
    private let objects: [Int]
    private let rootMember: BinaryPropertyList.Object

    init(_ data: Data) throws(Defect) {
        guard data.count <= Self.maximumSize else { throw .form }
        if data.first == UInt8(ascii: "<") { throw .xml }
        guard let list = BinaryPropertyList(Array(data)), let top = Self.members(of: list.top, in: list),
            top["$archiver"].flatMap({ list.text(of: $0) }) == "NSKeyedArchiver",
            case .list(let objects)? = top["$objects"], case .dictionary(let names, let values)? = top["$top"],
            names.count == values.count,
            let root = zip(names, values).first(where: { list.object($0.0).flatMap { list.text(of: $0) } == "root" }),
            let member = list.object(root.1)
        else { throw .form }
        self.list = list
        self.objects = objects
        rootMember = member
    }

    var root: Object? { object(at: rootMember) }

    private func value(at member: BinaryPropertyList.Object) -> BinaryPropertyList.Object? {
        guard case .uid(let number) = member else { return member }
        guard number > 0, number < objects.count else { return nil }
        return list.object(objects[number])
    }

    private func object(at member: BinaryPropertyList.Object) -> Object? {
        guard case .uid(let number) = member, number > 0, number < objects.count,
            let members = Self.members(of: objects[number], in: list),
            case .uid(let described)? = members["$class"], described > 0, described < objects.count,
            let description = Self.members(of: objects[described], in: list),
            let name = description["$classname"].flatMap({ list.text(of: $0) })
        else { return nil }
        var above: [String] = []
        if case .list(let numbers)? = description["$classes"] {
            above = numbers.prefix(16).compactMap { list.object($0).flatMap { list.text(of: $0) } }
        }
        return Object(archive: self, members: members, classes: [name] + above)
    }

    /// Returns the members of a dictionary by name.
    /// - Returns: `nil` if the object is not a dictionary, has more than 256 members, has two members with the same
    ///   name, or contains a name or member that cannot be read.
    private static func members(of number: Int, in list: BinaryPropertyList) -> [String: BinaryPropertyList.Object]? {
        guard case .dictionary(let names, let values)? = list.object(number), names.count == values.count,
            names.count <= 256
        else { return nil }
        var members: [String: BinaryPropertyList.Object] = [:]
        for (name, value) in zip(names, values) {
            guard let text = list.object(name).flatMap({ list.text(of: $0) }), let object = list.object(value),
                members.updateValue(object, forKey: text) == nil
            else { return nil }
        }
        return members
    }
}
