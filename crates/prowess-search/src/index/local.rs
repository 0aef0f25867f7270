//! Values for the words of the document at hand.

/// Values by number, for as many numbers as one document has.
pub(super) struct Local<T> {
    /// By number, where its value may be among the items. What an earlier document left here
    /// points at another number, or past the end, so nothing has to be cleared.
    places: Vec<u32>,
    pub(super) items: Vec<(u32, T)>,
}

impl<T> Default for Local<T> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl<T: Default> Local<T> {
    /// The value of a number.
    #[inline]
    pub(super) fn at(&mut self, number: u32) -> &mut T {
        if self.places.len() <= number as usize {
            self.places
                .resize((number as usize + 1).next_power_of_two(), 0);
        }
        value(&mut self.items, &mut self.places[number as usize], number)
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.items.clear();
    }
}

/// The value of a number among the items of a document, with its place noted elsewhere.
#[inline]
pub(super) fn value<'a, T: Default>(
    items: &'a mut Vec<(u32, T)>,
    place: &mut u32,
    number: u32,
) -> &'a mut T {
    if items
        .get(*place as usize)
        .is_none_or(|item| item.0 != number)
    {
        *place = items.len() as u32;
        items.push((number, T::default()));
    }
    &mut items[*place as usize].1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_apart_however_many_there_are() {
        let mut local = Local::<u32>::default();
        for round in [3, 1, 2] {
            for repeat in 1..=2 {
                for number in (0..3_000 * round).rev() {
                    *local.at(number * 7) += number;
                    assert_eq!(*local.at(number * 7), number * repeat);
                }
            }
            assert_eq!(local.items.len(), 3_000 * round as usize);
            assert_eq!(local.items[0].0, (3_000 * round - 1) * 7);
            local.clear();
        }
    }
}
