"""What changed between two sets of symbol graphs so that code which compiled no longer does."""

import collections
import re

# Conformances that every type has, or that another one brings.
IMPLIED = {"Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype", "Swift.BitwiseCopyable"}

# Added declarations of these kinds that are part of the type's contract.
CASE = "swift.enum.case"
EXTENSION = "swift.extension"


class Break:
    """One change, with the name by which the changelog lists it."""

    def __init__(self, module, name, what):
        self.module, self.name, self.what = module, name, what

    def __str__(self):
        return f"{self.module}: {self.name}: {self.what}"

    def __repr__(self):
        return f"<{self}>"


class API:
    """The public declarations of one module."""

    def __init__(self, graphs):
        """`graphs` are the contents of its symbol graph files; a declaration counts once, as the first of them has it."""
        self.symbols, self.places = {}, {}
        relations = collections.defaultdict(set)
        for graph in graphs:
            for symbol in graph["symbols"]:
                identifier = symbol["identifier"]["precise"]
                self.places.setdefault(identifier, tuple(symbol["pathComponents"]))
                if symbol["kind"]["identifier"] != EXTENSION:
                    self.symbols.setdefault(identifier, symbol)
            for each in graph["relationships"]:
                target = each.get("targetFallback") or each["target"]
                relations[each["kind"]].add((each["source"], each["target"], target))
        self.places_of_types = {self.places[identifier] for identifier in self.symbols}
        self.conformances = self._targets(relations["conformsTo"])
        self.superclasses = self._targets(relations["inheritsFrom"])
        self.requirements = {source for source, _, _ in relations["requirementOf"]}
        # Which requirement each default implementation is for, and which have one.
        self.implemented = {source: target for source, target, _ in relations["defaultImplementationOf"]}
        self.defaults = set(self.implemented.values())

    def _targets(self, relations):
        """What each type conforms to or inherits from, by names: an identifier may be another one on another system."""
        found = collections.defaultdict(set)
        for source, target, fallback in relations:
            name = ".".join(self.places[target]) if target in self.places else fallback
            if name not in IMPLIED:
                found[self.places.get(source, (source,))].add(name)
        return found


def between(module, old, new):
    """The breaks in one module, sorted. `old` and `new` are lists of symbol graphs; an empty `new` is a removed module."""
    old = API(old)
    if not new:
        return [Break(module, module, "the module was removed")] if old.symbols else []
    new = API(new)
    found = [*_declarations(module, old, new), *_contracts(module, old, new), *_relations(module, old, new)]
    return sorted(found, key=str)


def _declarations(module, old, new):
    """What was removed, and what has another declaration."""
    missing = collections.defaultdict(list)
    for identifier, symbol in old.symbols.items():
        if identifier in new.symbols:
            change = _change(symbol, new.symbols[identifier], identifier in old.requirements)
            if change:
                yield Break(module, _name(symbol), change)
        else:
            missing[_place(symbol)].append((identifier, symbol))
    added = collections.defaultdict(list)
    for identifier, symbol in new.symbols.items():
        if identifier not in old.symbols:
            added[_place(symbol)].append(symbol)
    for place, symbols in missing.items():
        if _is_in_something_removed(place, old, new):
            continue
        for identifier, symbol in symbols:
            requirement = old.implemented.get(identifier)
            if requirement in new.requirements:
                if requirement not in new.defaults:
                    yield Break(module, _name(symbol), "no longer has a default implementation")
                continue
            changes = [_change(symbol, other, identifier in old.requirements) for other in added[place]]
            if None in changes:
                continue  # The same in another place, such as in an extension.
            now = "; ".join(sorted(declaration(other) for other in added[place]))
            was = declaration(symbol)
            yield Break(module, _name(symbol), f"was `{was}`, is `{now}`" if now else f"was removed: `{was}`")


def _is_in_something_removed(place, old, new):
    """Whether a type around it has gone, which says enough."""
    outer = [place[:length] for length in range(1, len(place))]
    return any(each in old.places_of_types and each not in new.places_of_types for each in outer)


def _contracts(module, old, new):
    """What was added to a type that was there, and that others must now respond to."""
    for identifier, symbol in new.symbols.items():
        place = _place(symbol)
        # One with another type at the same place is reported as changed.
        if identifier in old.symbols or place in old.places_of_types or place[:-1] not in old.places_of_types:
            continue
        if symbol["kind"]["identifier"] == CASE:
            yield Break(module, _name(symbol), "is a new case, which no `switch` has yet")
        elif identifier in new.requirements and identifier not in new.defaults:
            # An associated type may have its default in the declaration.
            if symbol["kind"]["identifier"] != "swift.associatedtype" or " = " not in declaration(symbol):
                yield Break(module, _name(symbol), "is a new requirement without a default implementation")


def _relations(module, old, new):
    """What a type no longer conforms to or inherits from."""
    for before, after, verb in (
        (old.conformances, new.conformances, "conforms to"), (old.superclasses, new.superclasses, "inherits from"),
    ):
        for place, targets in before.items():
            if place not in new.places_of_types and place in old.places_of_types:
                continue
            for target in targets - after.get(place, set()):
                yield Break(module, f"{'.'.join(place)}: {target}", f"no longer {verb} `{target}`")


# What a declaration says


def _change(old, new, is_requirement):
    """How the declaration of one symbol breaks its users; `None` when it does not."""
    if old["kind"]["identifier"] != new["kind"]["identifier"]:
        return f"was `{declaration(old)}`, is `{declaration(new)}`"
    if old["accessLevel"] == "open" and new["accessLevel"] != "open":
        return "can no longer be inherited from or overridden"
    if _constraints(old) != _constraints(new):
        return f"is declared for other types: {_constraints(old) or 'all'}, now {_constraints(new) or 'all'}"
    was, now = Declaration(old), Declaration(new)
    if was.text != now.text or was.defaults - now.defaults:
        return f"was `{declaration(old)}`, is `{declaration(new)}`"
    if was.is_writable and not now.is_writable:
        return "can no longer be set"
    if is_requirement and now.is_writable and not was.is_writable:
        return "must now be settable"
    return _availability(old, new)


class Declaration:
    """A declaration without what its users do not see: names within functions, values of defaults, who stores it."""

    def __init__(self, symbol):
        fragments = [each for each in symbol.get("declarationFragments", []) if each["kind"] != "internalParam"]
        text = "".join(each["spelling"] for each in fragments)
        text = re.sub(r"@discardableResult ", "", text)
        if symbol["accessLevel"] != "open":
            text = re.sub(r"\bfinal ", "", text)
        self.is_writable = False
        if re.search(r"\.(property|subscript|var)$", symbol["kind"]["identifier"]):
            accessors = re.search(r" \{[^}]*\}$", text)
            self.is_writable = bool(re.search(r"\bset\b", accessors[0])) if accessors else not re.search(r"\blet ", text)
            if accessors:
                # What a getter may do besides returning, such as `throws`, stays.
                effects = re.sub(r"[{}]|\b(get|set|nonmutating|mutating)\b", "", accessors[0]).split()
                text = text[:accessors.start()] + "".join(f" {effect}" for effect in effects)
            text = re.sub(r"\blet ", "var ", text, count=1)
        text, self.defaults = without_defaults(text)
        self.text = re.sub(r" +", " ", text).replace(" :", ":").strip()


def without_defaults(text):
    """The declaration without the values of default arguments, and the numbers of the parameters that have one."""
    result, found = [], set()
    depth, parameter, is_skipping, quote = 0, 0, False, False
    for index, character in enumerate(text):
        if character == '"' and text[index - 1] != "\\":
            quote = not quote
        elif not quote:
            if character in ")]}":
                depth -= 1
            if is_skipping and (depth == 0 or depth == 1 and character == ","):
                is_skipping = False
            if depth == 1 and text[index:index + 3] == " = ":
                is_skipping = True
                found.add(parameter)
            if depth == 1 and character == ",":
                parameter += 1
            if character in "([{":
                depth += 1
        if not is_skipping:
            result.append(character)
    return "".join(result), found


def _availability(old, new):
    """Where it is no longer there."""
    before = {each.get("domain", "*"): each for each in old.get("availability", [])}
    for each in new.get("availability", []):
        domain = each.get("domain", "*")
        known = before.get(domain, {})
        if each.get("isUnconditionallyUnavailable") and not known.get("isUnconditionallyUnavailable"):
            return f"is unavailable on {domain}"
        for event in ("introduced", "obsoleted"):
            version, earlier = _version(each.get(event)), _version(known.get(event))
            if version and (event == "introduced" and version > (earlier or ()) or event == "obsoleted" and version != earlier):
                return f"is {event} in {domain} {'.'.join(map(str, version))}"
    return None


def _version(parts):
    return parts and (parts["major"], parts.get("minor", 0), parts.get("patch", 0))


def _constraints(symbol):
    """The `where` of the extension that a symbol is declared in."""
    return ", ".join(sorted(
        f"{each['lhs']} {each['kind']} {each['rhs']}"
        for each in symbol.get("swiftExtension", {}).get("constraints", [])))


def declaration(symbol):
    """A symbol as it is written."""
    return "".join(each["spelling"] for each in symbol.get("declarationFragments", []))


def _place(symbol):
    return tuple(symbol["pathComponents"])


def _name(symbol):
    return ".".join(symbol["pathComponents"])
