/// The appearance of a generated picture: letters on a gradient of two colors, or on one color.
public struct GeneratedAvatar: Sendable, Hashable {
    /// The first color of the gradient, as `#RRGGBB`; `nil` if ``flatBackgroundHex`` is used instead.
    public let startColorHex: String?
    public let endColorHex: String?
    /// The direction of the gradient in degrees, from 0 up to 360: 0 is to the right, 90 down. `nil` without a gradient.
    public let angleDegrees: Double?
    /// The first one or two characters of the content in upper case. If the content is empty, the characters of `App`.
    public let initials: String
    public let shape: AvatarShape
    /// The only color of the background, as `#RRGGBB`; `nil` for a gradient.
    public let flatBackgroundHex: String?
}

/// Returns the appearance of the picture that `spec` describes. The result is the same on every system and in ThunderID's own
/// applications.
public func generateAvatar(_ spec: AvatarSpec) -> GeneratedAvatar {
    let seed = spec.content.isEmpty ? "App" : spec.content
    let initials = String(seed.uppercased().prefix(spec.variant == .oneLetter ? 1 : 2))
    if let background = spec.bg.flatMap({ ColorText($0) }) {
        return GeneratedAvatar(
            startColorHex: nil, endColorHex: nil, angleDegrees: nil, initials: initials, shape: spec.shape,
            flatBackgroundHex: background.text)
    }
    let hash = AvatarHash.unsigned(seed)
    let pairs = AvatarColors.pairs
    let pair = pairs[(Int(hash % UInt32(pairs.count)) + spec.colors.remainder(of: pairs.count)) % pairs.count]
    // The hash is shifted as a signed number, as in ThunderID's own applications.
    let turn = Int(Int32(bitPattern: hash) >> 4).remainder(of: 360) + spec.colors.remainder(of: 360) * 37
    return GeneratedAvatar(
        startColorHex: pair.start, endColorHex: pair.end, angleDegrees: Double(turn % 360), initials: initials,
        shape: spec.shape, flatBackgroundHex: nil)
}

/// Returns the content of a picture for a text, such as an app's name. For letters, the content is the first one or two ASCII
/// letters or digits of the text in upper case, or `A` without any. For animals and things, the content is a name that depends
/// only on the text.
public func deriveAvatarContent(variant: AvatarVariant, seedText: String?) -> String {
    let seed = seedText ?? ""
    func initials(_ count: Int) -> String {
        let letters = seed.lazy.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(count)
        return letters.isEmpty ? "A" : String(letters).uppercased()
    }
    func name(among names: Set<String>) -> String {
        let names = names.sorted()
        return names[Int(AvatarHash.unsigned(seed) % UInt32(names.count))]
    }
    return switch variant {
    case .oneLetter: initials(1)
    case .twoLetter: initials(2)
    case .anonymousAnimal: name(among: anonymousAnimalNames)
    case .anonymousEntity: name(among: anonymousEntityNames)
    }
}

/// The hash of a text, to choose colors and names. ThunderID's own applications compute the same hash, so that the
/// pictures agree.
enum AvatarHash {
    /// The largest number of UTF-16 units that are hashed; the rest of a longer text is ignored.
    private static let limit = 1024

    static func unsigned(_ text: String) -> UInt32 {
        text.utf16.prefix(limit).reduce(0) { $0 &* 31 &+ UInt32($1) }
    }

    /// Returns the absolute value of the hash, read as a signed number.
    static func size(_ text: String) -> Int {
        Int(Int32(bitPattern: unsigned(text)).magnitude)
    }
}

/// The gradients of generated pictures. The hash of the content selects the first gradient, and ``AvatarSpec/colors``
/// selects how many gradients are skipped from there.
private enum AvatarColors {
    static let pairs: [(start: String, end: String)] = [
        ("#ff7300", "#ef4223"), ("#3688ff", "#1d5eb4"), ("#5567d5", "#8b6fe8"), ("#06b6d4", "#0891b2"),
        ("#10b981", "#059669"), ("#ec4899", "#be185d"), ("#f59e0b", "#ea580c"), ("#8b5cf6", "#6d28d9"),
        ("#5cd1ff", "#3688ff"), ("#ef4444", "#b91c1c"),
    ]
}

extension Int {
    /// Returns the remainder of a division, never negative.
    fileprivate func remainder(of divisor: Int) -> Int {
        let rest = self % divisor
        return rest < 0 ? rest + divisor : rest
    }
}
