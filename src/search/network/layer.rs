//! Layers of networks, and what they compute for many positions at a time.

use ndarray::{Array1, Array2, Axis, s};

/// A layer.
#[derive(Debug)]
pub(super) enum Layer {
    Convolution(Convolution),
    Linear(Linear),
    /// The greater one of each number and 0.
    Relu,
    /// The hyperbolic tangent of each number.
    Tanh,
    /// The numbers of all channels one after the other, each row by row.
    Flatten,
    /// What goes in, added to what these layers make of it.
    Residual(Vec<Layer>),
}

/// A convolution with the stride 1 and as many zeros around the board as keep its size.
#[derive(Debug)]
pub(super) struct Convolution {
    /// A row for each channel that comes out, with the weights of all channels that go in, each row by row.
    pub(super) weight: Array2<f32>,
    pub(super) bias: Array1<f32>,
    pub(super) inputs: usize,
    /// The height and the width.
    pub(super) kernel: [usize; 2],
    pub(super) name: String,
}

/// A matrix and a vector that is added.
#[derive(Debug)]
pub(super) struct Linear {
    pub(super) weight: Array2<f32>,
    pub(super) bias: Array1<f32>,
    pub(super) name: String,
}

/// The shape of the numbers of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Channels, height and width.
    Maps([usize; 3]),
    /// A list of this length.
    Numbers(usize),
}

/// The numbers of many positions.
#[derive(Clone, Debug)]
pub(super) struct Activations {
    form: Form,
    /// For maps, a row for each channel, with the boards of all positions one after the other; for numbers, a row for each
    /// position.
    numbers: Array2<f32>,
}

impl Activations {
    /// Takes the numbers of one position after the other.
    pub(super) fn new(form: Form, numbers: Vec<f32>) -> Activations {
        let (rows, columns) = match form {
            Form::Numbers(length) => (numbers.len() / length.max(1), length),
            Form::Maps([channels, height, width]) => {
                let each = channels * height * width;
                (numbers.len() / each.max(1), each)
            }
        };
        let by_position = Array2::from_shape_vec((rows, columns), numbers);
        let by_position = by_position.expect("as many numbers as the form has");
        match form {
            Form::Numbers(_) => Activations {
                form,
                numbers: by_position,
            },
            Form::Maps([channels, height, width]) => {
                let cells = height * width;
                let mut maps = Array2::zeros((channels, rows * cells));
                for (at, position) in by_position.outer_iter().enumerate() {
                    for channel in 0..channels {
                        let from = position.slice(s![channel * cells..(channel + 1) * cells]);
                        maps.slice_mut(s![channel, at * cells..(at + 1) * cells])
                            .assign(&from);
                    }
                }
                Activations {
                    form,
                    numbers: maps,
                }
            }
        }
    }

    /// The numbers of one position after the other, if they are lists.
    pub(super) fn into_numbers(self) -> Array2<f32> {
        self.flattened().numbers
    }

    fn flattened(self) -> Activations {
        let Form::Maps([channels, height, width]) = self.form else {
            return self;
        };
        let cells = height * width;
        let count = self.numbers.ncols() / cells.max(1);
        let numbers = Array2::from_shape_fn((count, channels * cells), |(at, number)| {
            self.numbers[(number / cells, at * cells + number % cells)]
        });
        Activations {
            form: Form::Numbers(channels * cells),
            numbers,
        }
    }
}

/// Returns the shape that comes out of layers.
///
/// # Errors
/// If one does not fit.
pub(super) fn form_after(layers: &[Layer], form: Form) -> Result<Form, String> {
    layers
        .iter()
        .try_fold(form, |form, layer| match (layer, form) {
            (Layer::Convolution(layer), Form::Maps([channels, height, width])) => {
                match layer.inputs == channels {
                    true => Ok(Form::Maps([layer.weight.nrows(), height, width])),
                    false => Err(format!(
                        "`{}` takes {} channels, and there are {channels}",
                        layer.name, layer.inputs
                    )),
                }
            }
            (Layer::Convolution(layer), Form::Numbers(_)) => {
                Err(format!("`{}` needs planes, and there are none", layer.name))
            }
            (Layer::Linear(layer), Form::Numbers(length)) => match layer.weight.ncols() == length {
                true => Ok(Form::Numbers(layer.weight.nrows())),
                false => Err(format!(
                    "`{}` takes {} numbers, and there are {length}",
                    layer.name,
                    layer.weight.ncols()
                )),
            },
            (Layer::Linear(layer), Form::Maps(_)) => {
                Err(format!("`flatten` is missing before `{}`", layer.name))
            }
            (Layer::Relu | Layer::Tanh, form) => Ok(form),
            (Layer::Flatten, Form::Numbers(length)) => Ok(Form::Numbers(length)),
            (Layer::Flatten, Form::Maps(shape)) => Ok(Form::Numbers(shape.iter().product())),
            (Layer::Residual(layers), form) => match form_after(layers, form)? == form {
                true => Ok(form),
                false => Err("a residual block changes the shape".to_string()),
            },
        })
}

/// Returns what layers make of numbers, whose form was checked.
pub(super) fn run(layers: &[Layer], input: Activations) -> Activations {
    layers.iter().fold(input, |mut input, layer| match layer {
        Layer::Convolution(layer) => layer.run(&input),
        Layer::Linear(layer) => layer.run(&input),
        Layer::Relu => {
            input.numbers.mapv_inplace(|number| number.max(0.0));
            input
        }
        Layer::Tanh => {
            input.numbers.mapv_inplace(f32::tanh);
            input
        }
        Layer::Flatten => input.flattened(),
        Layer::Residual(layers) => {
            let mut output = run(layers, input.clone());
            output.numbers += &input.numbers;
            output
        }
    })
}

impl Linear {
    fn run(&self, input: &Activations) -> Activations {
        let numbers = input.numbers.dot(&self.weight.t()) + &self.bias;
        Activations {
            form: Form::Numbers(self.weight.nrows()),
            numbers,
        }
    }
}

impl Convolution {
    fn run(&self, input: &Activations) -> Activations {
        let Form::Maps([_, height, width]) = input.form else {
            return input.clone();
        };
        let numbers = match self.kernel {
            [1, 1] => self.weight.dot(&input.numbers),
            _ => self
                .weight
                .dot(&self.windows(&input.numbers, height, width)),
        };
        Activations {
            form: Form::Maps([self.weight.nrows(), height, width]),
            numbers: numbers + self.bias.view().insert_axis(Axis(1)),
        }
    }

    /// For each weight of a channel that comes out, the numbers that it is multiplied with: a row of them.
    fn windows(&self, numbers: &Array2<f32>, height: usize, width: usize) -> Array2<f32> {
        let [kernel_height, kernel_width] = self.kernel;
        let mut windows = Array2::zeros((self.weight.ncols(), numbers.ncols()));
        for (mut row, at) in windows.outer_iter_mut().zip(0..) {
            let (channel, place) = (
                at / (kernel_height * kernel_width),
                at % (kernel_height * kernel_width),
            );
            let (down, right) = (place / kernel_width, place % kernel_width);
            // By how much the window is above and left of the number that comes out.
            let (up, left) = (kernel_height / 2, kernel_width / 2);
            let from = numbers.row(channel);
            let (Some(from), Some(to)) = (from.as_slice(), row.as_slice_mut()) else {
                continue;
            };
            let boards = from.chunks_exact(height * width);
            for (from, to) in boards.zip(to.chunks_exact_mut(height * width)) {
                for y in up.saturating_sub(down)..height.min((height + up).saturating_sub(down)) {
                    let source = &from[(y + down - up) * width..][..width];
                    let first = left.saturating_sub(right);
                    let last = width.min((width + left).saturating_sub(right));
                    if first < last {
                        to[y * width + first..y * width + last]
                            .copy_from_slice(&source[first + right - left..last + right - left]);
                    }
                }
            }
        }
        windows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of a convolution, number by number.
    fn convolved(layer: &Convolution, input: &[f32], form: [usize; 3], out: [usize; 3]) -> f32 {
        let [channels, height, width] = form;
        let [output, y, x] = out;
        let [kernel_height, kernel_width] = layer.kernel;
        let mut sum = layer.bias[output];
        for channel in 0..channels {
            for down in 0..kernel_height {
                for right in 0..kernel_width {
                    let row = (y + down).checked_sub(kernel_height / 2);
                    let column = (x + right).checked_sub(kernel_width / 2);
                    let (Some(row), Some(column)) = (row, column) else {
                        continue;
                    };
                    if row < height && column < width {
                        let weight = (channel * kernel_height + down) * kernel_width + right;
                        let number = input[(channel * height + row) * width + column];
                        sum += layer.weight[(output, weight)] * number;
                    }
                }
            }
        }
        sum
    }

    #[test]
    fn convolutions_are_what_they_are_defined_as() {
        let form = [2, 3, 4];
        for kernel in [[1, 1], [3, 3], [1, 3], [5, 7]] {
            let size = 2 * kernel[0] * kernel[1];
            let number = |at: usize| ((at * 7919) % 13) as f32 - 6.0;
            let layer = Convolution {
                weight: Array2::from_shape_fn((3, size), |(row, column)| {
                    number(row * size + column)
                }),
                bias: Array1::from_vec(vec![1.0, -2.0, 0.5]),
                inputs: 2,
                kernel,
                name: String::new(),
            };
            let input: Vec<f32> = (0..2 * 24).map(number).collect();
            let layers = [Layer::Convolution(layer)];
            assert_eq!(
                form_after(&layers, Form::Maps(form)),
                Ok(Form::Maps([3, 3, 4]))
            );
            let found = run(&layers, Activations::new(Form::Maps(form), input.clone()));
            let found = found.into_numbers();
            let [Layer::Convolution(layer)] = &layers else {
                return;
            };
            for (at, input) in input.chunks_exact(24).enumerate() {
                for output in 0..36 {
                    let place = [output / 12, output / 4 % 3, output % 4];
                    let expected = convolved(layer, input, form, place);
                    assert_eq!(found[(at, output)], expected, "{kernel:?} {place:?}");
                }
            }
        }
    }
}
