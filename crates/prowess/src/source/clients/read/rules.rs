//! Reads a client's rules: one key each, in the words of the table.

use toml_edit::Item;

use super::{
    super::rules::{
        Budget, DepthRule, DescriptionCap, NameShape, Rules, SameName, ScanRule, Tier, Word,
    },
    Reader,
};

impl Reader<'_> {
    pub(super) fn rules(&mut self, item: &Item, place: &str, rules: &mut Rules) {
        const KEYS: [&str; 18] = [
            "second-hand",
            "file",
            "depth",
            "scan",
            "missing-name",
            "name-shape",
            "name-differs",
            "unknown-fields",
            "broken-yaml",
            "byte-order-mark",
            "fence-in-value",
            "links",
            "same-name",
            "budget",
            "description-cap",
            "call",
            "trust",
            "allowed-tools",
        ];
        for (key, item) in self.entries(item, place, &KEYS) {
            // A value that can not be understood leaves what was known before.
            match key {
                "second-hand" => match item.as_bool() {
                    Some(value) => rules.second_hand = value,
                    None => self.expected(item, key, "`true` or `false`"),
                },
                "file" => put(&mut rules.file, self.word(item, key)),
                "depth" => put(&mut rules.depth, self.depth(item, key)),
                "scan" => put(&mut rules.scan, self.scan(item, key)),
                "missing-name" => put(&mut rules.missing_name, self.word(item, key)),
                "name-shape" => put(&mut rules.name_shape, self.name_shape(item, key)),
                "name-differs" => put(&mut rules.name_differs, self.word(item, key)),
                "unknown-fields" => put(&mut rules.unknown_fields, self.word(item, key)),
                "broken-yaml" => put(&mut rules.broken_yaml, self.word(item, key)),
                "byte-order-mark" => put(&mut rules.byte_order_mark, self.word(item, key)),
                "fence-in-value" => put(&mut rules.fence_in_value, self.word(item, key)),
                "links" => put(&mut rules.links, self.word(item, key)),
                "same-name" => put(&mut rules.same_name, self.same_name(item, key)),
                "budget" => put(&mut rules.budget, self.budget(item, key)),
                "description-cap" => put(&mut rules.description_cap, self.cap(item, key)),
                "call" => put(&mut rules.call, self.text(item, key)),
                "trust" => put(&mut rules.trust, self.text(item, key)),
                _ => put(&mut rules.allowed_tools, self.word(item, key)),
            }
        }
    }

    fn depth(&mut self, item: &Item, key: &str) -> Option<DepthRule> {
        if item.is_integer() {
            return self.number(item, key).map(DepthRule::Most);
        }
        if !item.is_table_like() {
            return self.word(item, key);
        }
        let mut most = None;
        for (key, item) in self.entries(item, key, &["most", "deeper"]) {
            match key {
                "most" => most = self.number(item, key),
                _ => self.word::<OnDemand>(item, key).map_or((), drop),
            }
        }
        most.map(DepthRule::OnDemandBelow)
    }

    fn scan(&mut self, item: &Item, key: &str) -> Option<ScanRule> {
        let (mut folders, mut entries) = (None, None);
        for (key, item) in self.entries(item, key, &["folders", "entries"]) {
            match key {
                "folders" => folders = self.number(item, key),
                _ => entries = self.number(item, key),
            }
        }
        Some(ScanRule {
            folders: folders?,
            entries: entries?,
        })
    }

    fn name_shape(&mut self, item: &Item, key: &str) -> Option<NameShape> {
        if !item.is_table_like() {
            return self.word(item, key);
        }
        let mut shape = None;
        for (key, item) in self.entries(item, key, &["most", "whitespace", "replaced"]) {
            match key {
                "most" => put(
                    &mut shape,
                    self.number(item, key)
                        .map(|most| NameShape::Collapsed { most }),
                ),
                "replaced" => put(&mut shape, self.text(item, key).map(NameShape::Replaced)),
                _ => self.word::<Collapsed>(item, key).map_or((), drop),
            }
        }
        shape
    }

    fn same_name(&mut self, item: &Item, key: &str) -> Option<SameName> {
        if !item.is_table_like() {
            return self.word(item, key);
        }
        let mut order = Vec::new();
        for (key, item) in self.entries(item, key, &["first"]) {
            for tier in self.list(item, key) {
                order.extend(self.word::<Tier>(&tier, key));
            }
        }
        (!order.is_empty()).then_some(SameName::Order(order))
    }

    fn budget(&mut self, item: &Item, key: &str) -> Option<Budget> {
        if !item.is_table_like() {
            return self.word(item, key);
        }
        let (mut percent, mut characters, mut over) = (None, None, None);
        for (key, item) in self.entries(item, key, &["percent", "characters", "over"]) {
            match key {
                "percent" => percent = self.number(item, key),
                "characters" => characters = self.number(item, key),
                _ => over = self.text(item, key),
            }
        }
        Some(Budget::Share {
            percent: percent?,
            characters,
            over: over.unwrap_or_default(),
        })
    }

    fn cap(&mut self, item: &Item, key: &str) -> Option<DescriptionCap> {
        if !item.is_table_like() {
            return self.word(item, key);
        }
        let (mut characters, mut over, mut with) = (None, Over::Cut, None);
        for (key, item) in self.entries(item, key, &["characters", "over", "with"]) {
            match key {
                "characters" => characters = self.number(item, key),
                "over" => over = self.word(item, key)?,
                _ => with = self.text(item, key),
            }
        }
        let characters = characters?;
        Some(match over {
            Over::Cut => DescriptionCap::Cut { characters, with },
            Over::Refused => DescriptionCap::Refused { characters },
        })
    }
}

/// Replaces what was known only by something that was understood.
fn put<T>(place: &mut Option<T>, value: Option<T>) {
    if value.is_some() {
        *place = value;
    }
}

/// What `deeper` may say.
#[derive(Clone)]
struct OnDemand;

/// What `whitespace` may say.
#[derive(Clone)]
struct Collapsed;

/// What happens beyond a cap.
#[derive(Clone)]
enum Over {
    Cut,
    Refused,
}

impl Word for OnDemand {
    const WORDS: &'static [(&'static str, Self)] = &[("on demand", Self)];
}

impl Word for Collapsed {
    const WORDS: &'static [(&'static str, Self)] = &[("collapsed", Self)];
}

impl Word for Over {
    const WORDS: &'static [(&'static str, Self)] =
        &[("cut", Self::Cut), ("refused", Self::Refused)];
}

impl Word for DepthRule {
    const WORDS: &'static [(&'static str, Self)] =
        &[("any", Self::Any), ("children", Self::Children)];
}

impl Word for NameShape {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("any", Self::Any),
        ("standard", Self::Standard),
        ("standard, silently", Self::StandardSilently),
    ];
}

impl Word for SameName {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("both", Self::Both),
        ("first", Self::First),
        ("last", Self::Last),
    ];
}

impl Word for Budget {
    const WORDS: &'static [(&'static str, Self)] = &[("none", Self::Unlimited)];
}

impl Word for DescriptionCap {
    const WORDS: &'static [(&'static str, Self)] = &[("none", Self::Unlimited)];
}
