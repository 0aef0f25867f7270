//! Which skill gets how much room.

use std::num::NonZeroUsize;

use super::{Form, PromptOptions, Tier, render};
use crate::{
    budget::{Unit, cost, scale},
    skill::Skill,
};

/// Who comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    Pin,
    Ranked,
    Rest,
}

/// A skill and how much of it is shown.
#[derive(Debug)]
pub(super) struct Item<'a> {
    pub(super) skill: &'a Skill,
    pub(super) group: Group,
    /// The most that may be shown.
    pub(super) most: Tier,
    pub(super) tier: Tier,
    /// What each tier costs, once it is known.
    costs: [Option<NonZeroUsize>; 3],
}

impl<'a> Item<'a> {
    pub(super) fn new(skill: &'a Skill, group: Group) -> Self {
        Self {
            skill,
            group,
            most: Tier::Full,
            tier: Tier::Hidden,
            costs: [None; 3],
        }
    }

    /// What a tier costs.
    fn cost(&mut self, tier: Tier, unit: Unit, form: Form) -> usize {
        let place = match tier {
            Tier::Hidden => return 0,
            Tier::NameOnly => 0,
            Tier::Trimmed => 1,
            Tier::Full => 2,
        };
        if let Some(cost) = self.costs[place] {
            return cost.get();
        }
        let mut text = String::new();
        render::entry(&mut text, self.skill, tier, form);
        let cost = cost(unit, &text);
        self.costs[place] = NonZeroUsize::new(cost);
        cost
    }
}

/// A tokenizer may count a text a little higher than its parts; then it is tried again with less
/// room. Each try is short by what the last one was over, so a few are enough.
const TRIES: usize = 8;

/// Gives each skill its tier and writes the list. The items come and leave in the order of their
/// worth.
pub(super) fn fit(items: &mut [Item<'_>], options: &PromptOptions<'_>) -> String {
    let Some(budget) = options.budget else {
        for item in &mut *items {
            item.tier = item.most;
        }
        return write(items, options);
    };
    let mut room = budget.amount.saturating_mul(scale(budget.unit));
    for _ in 0..TRIES {
        assign(items, room, budget.unit, options);
        let text = write(items, options);
        let over = budget.measure(&text).saturating_sub(budget.amount);
        if over == 0 {
            return text;
        }
        if items.iter().all(|item| item.tier == Tier::Hidden) {
            break;
        }
        room = room.saturating_sub((over + 1) * scale(budget.unit));
    }
    for item in items {
        item.tier = Tier::Hidden;
    }
    String::new()
}

fn write(items: &[Item<'_>], options: &PromptOptions<'_>) -> String {
    let shown = items.iter().filter(|item| item.tier > Tier::Hidden);
    let mut shown: Vec<_> = shown.collect();
    if options.query.is_none() {
        shown.sort_by_key(|item| item.skill.name());
    }
    render::list(&shown, items.len() - shown.len(), options)
}

fn assign(items: &mut [Item<'_>], room: usize, unit: Unit, options: &PromptOptions<'_>) {
    let (open, close) = render::ends(options.form);
    let ends = cost(unit, open) + cost(unit, close);
    let left = room.saturating_sub(ends);
    if fits_whole(items, left, unit, options.form) {
        for item in items {
            item.tier = item.most;
        }
        return;
    }
    spread(items, left, unit, options.form);
    // Only a list that leaves something out needs room for the word about it.
    if items.iter().any(|item| item.tier == Tier::Hidden) {
        let note = cost(unit, &render::note(items.len(), options));
        spread(items, left.saturating_sub(note), unit, options.form);
    }
}

/// Gives each group what is left, name by name first and then tier by tier.
fn spread(items: &mut [Item<'_>], mut left: usize, unit: Unit, form: Form) {
    for item in &mut *items {
        item.tier = Tier::Hidden;
    }
    let mut pins_are_whole = true;
    for group in items.chunk_by_mut(|a, b| a.group == b.group) {
        let pinned = group.first().is_some_and(|item| item.group == Group::Pin);
        // Nobody else is whole while a pin is cut; a short description would be.
        let most = if pinned || pins_are_whole {
            Tier::Full
        } else {
            Tier::NameOnly
        };
        for tier in [Tier::NameOnly, Tier::Trimmed, Tier::Full] {
            if tier <= most {
                raise(group, tier, &mut left, unit, form);
            }
        }
        if pinned {
            pins_are_whole = group.iter().all(|item| item.tier == item.most);
        }
    }
}

/// Whether everything fits uncut.
fn fits_whole(items: &mut [Item<'_>], room: usize, unit: Unit, form: Form) -> bool {
    let mut left = room;
    items.iter_mut().all(|item| {
        let rest = left.checked_sub(item.cost(item.most, unit, form));
        left = rest.unwrap_or(0);
        rest.is_some()
    })
}

/// Raises skills to a tier, in order. It ends with the first that does not fit: what is worth
/// less is never shown in place of what is worth more.
fn raise(group: &mut [Item<'_>], tier: Tier, left: &mut usize, unit: Unit, form: Form) {
    let below = match tier {
        Tier::Full => Tier::Trimmed,
        Tier::Trimmed => Tier::NameOnly,
        Tier::NameOnly | Tier::Hidden => Tier::Hidden,
    };
    for item in group {
        if tier > item.most || item.tier > below {
            continue;
        }
        if item.tier < below {
            // It did not fit with less, so those behind it were not reached either.
            return;
        }
        let taken = item.cost(below, unit, form);
        let needed = item.cost(tier, unit, form);
        if needed > *left + taken {
            return;
        }
        *left = *left + taken - needed;
        // A description that is short enough is not cut by trimming it.
        let whole = tier == Tier::Trimmed
            && item.most == Tier::Full
            && item.cost(Tier::Full, unit, form) == needed;
        item.tier = if whole { Tier::Full } else { tier };
    }
}
