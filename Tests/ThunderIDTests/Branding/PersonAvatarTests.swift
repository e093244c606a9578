import Foundation
import IdentityKit
import Testing

@testable import ThunderID

/// What stands for a person. The expected colours are those of ThunderID's rule, calculated apart from this code.
@Suite struct PersonAvatarTests {
    private func user(
        username: String? = nil, email: String? = nil, displayName: String? = nil, picture: String? = nil,
        claims: [String: String] = [:]
    ) -> ThunderIDClient.User {
        ThunderIDClient.User(
            sub: "1", username: username, email: email, displayName: displayName, profilePicture: picture,
            claims: claims.mapValues { AnyCodable($0) })
    }

    @Test("Given and family name come first, then what is known")
    func names() {
        let all = user(
            username: "ada", email: "ada@example.com", displayName: "Countess",
            claims: ["given_name": "Ada", "family_name": "Lovelace"])
        #expect(PersonAvatar(all).name == "Ada Lovelace")
        #expect(
            PersonAvatar(user(username: "ada", displayName: "Countess", claims: ["given_name": "Ada"])).name
                == "Countess")
        #expect(PersonAvatar(user(username: "ada", email: "a@b.example", displayName: " ")).name == "ada")
        #expect(PersonAvatar(user(email: "ada@example.com")).name == "ada@example.com")
        #expect(PersonAvatar(nil).name == "Guest")
        #expect(PersonAvatar(user(), anonymous: "Gast").name == "Gast")
    }

    @Test("Initials are those of the first two words")
    func initials() {
        #expect(PersonAvatar(user(displayName: "Ada  King Lovelace")).initials == "AK")
        #expect(PersonAvatar(user(displayName: "ada")).initials == "A")
        #expect(PersonAvatar(user(displayName: "øyvind\u{A0}ærlig")).initials == "ØÆ")
    }

    @Test(
        "The same person has the same colours everywhere",
        arguments: [
            ("Ada Lovelace", "#77ef52", "#4983ee", -8), ("ada", "#5675f0", "#f05181", 0),
            ("ada@example.com", "#c4f551", "#4d55f5", 12), ("Guest", "#67bbe4", "#e467e4", -34),
            ("Jörg 🦦", "#a46af1", "#f2c778", 18),
        ] as [(String, String, String, Double)])
    func colors(name: String, start: String, end: String, angle: Double) {
        let avatar = PersonAvatar(user(displayName: name))
        #expect(avatar.startColorHex == start)
        #expect(avatar.endColorHex == end)
        #expect(avatar.angleDegrees == angle)
    }

    @Test("A picture is at https or generated; what is neither is passed over")
    func pictures() {
        let address = "https://a.example/ada.png"
        #expect(PersonAvatar(user(picture: address)).picture == .url(address))
        #expect(PersonAvatar(user(claims: ["picture": address])).picture == .url(address))
        #expect(
            PersonAvatar(user(picture: "http://a.example", claims: ["avatarUrl": address])).picture == .url(address))
        #expect(PersonAvatar(user(picture: "emoji:🦦")).picture == .emoji("🦦"))
        #expect(
            PersonAvatar(user(displayName: "Ada", picture: "avatar:shape=circle")).picture
                == .avatar(AvatarSpec(shape: .circle, variant: .twoLetter, content: "AD", colors: 0)))
        #expect(PersonAvatar(user(picture: "file:///ada.png")).picture == nil)
        #expect(
            PersonAvatar(user(claims: ["profile": "https://a.example/people/ada"])).picture == nil, "This is a page")
    }
}
