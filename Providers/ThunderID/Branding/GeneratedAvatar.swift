/// The look of a generated picture: letters on two colours that pass into each other, or on one.
public struct GeneratedAvatar: Sendable, Hashable {
    /// The first colour, as `#RRGGBB`; `nil` when ``flatBackgroundHex`` is all of the background.
    public let startColorHex: String?
    public let endColorHex: String?
    /// The direction from the first colour to the second, in degrees from 0 up to 360: 0 is to the right, 90 down.
    public let angleDegrees: Double?
    /// The letters, one or two.
    public let initials: String
    public let shape: AvatarShape
    /// The one colour of the background, as `#RRGGBB`; `nil` for two.
    public let flatBackgroundHex: String?
}

/// The look of the picture of `spec`. The same description looks the same on every system, and as in ThunderID's own
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
    // The turn is that of a signed number.
    let turn = Int(Int32(bitPattern: hash) >> 4).remainder(of: 360) + spec.colors.remainder(of: 360) * 37
    return GeneratedAvatar(
        startColorHex: pair.start, endColorHex: pair.end, angleDegrees: Double(turn % 360), initials: initials,
        shape: spec.shape, flatBackgroundHex: nil)
}

/// The content of a picture that is made from a text, such as the name of an app: the first letters or digits of it, or
/// an animal or a thing that the same text always gets.
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

/// The numbers that colours are chosen by: those of ThunderID's own applications, so that pictures agree.
enum AvatarHash {
    /// How much of a text counts.
    private static let limit = 1024

    static func unsigned(_ text: String) -> UInt32 {
        text.utf16.prefix(limit).reduce(0) { $0 &* 31 &+ UInt32($1) }
    }

    /// As above, as the size of a signed number.
    static func size(_ text: String) -> Int {
        Int(Int32(bitPattern: unsigned(text)).magnitude)
    }
}

/// The colours of generated pictures, in the order that `colors` counts in.
private enum AvatarColors {
    static let pairs: [(start: String, end: String)] = [
        ("#ff7300", "#ef4223"), ("#3688ff", "#1d5eb4"), ("#5567d5", "#8b6fe8"), ("#06b6d4", "#0891b2"),
        ("#10b981", "#059669"), ("#ec4899", "#be185d"), ("#f59e0b", "#ea580c"), ("#8b5cf6", "#6d28d9"),
        ("#5cd1ff", "#3688ff"), ("#ef4444", "#b91c1c"),
    ]
}

extension Int {
    /// The remainder of a division, from 0 up to `divisor`.
    fileprivate func remainder(of divisor: Int) -> Int {
        let rest = self % divisor
        return rest < 0 ? rest + divisor : rest
    }
}
